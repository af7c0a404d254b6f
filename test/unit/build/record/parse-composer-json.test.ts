// Tests the parser of composer.json: the refused bytes, and the line in each message.

import { describe, expect, it } from 'vitest';
import { maxComposerJsonBytes, parseComposerJson } from '../../../../build/record/parse-composer-json.ts';
import { QuarantineError } from '../../../../build/contract/quarantine.ts';

function parse(text: string): unknown {
  return parseComposerJson(Buffer.from(text), 'acme/hello/composer.json');
}

function refusal(bytes: Uint8Array | string): { readonly code: string; readonly message: string } {
  try {
    parseComposerJson(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, 'acme/hello/composer.json');
  } catch (error) {
    if (error instanceof QuarantineError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('parseComposerJson', () => {
  it('parseComposerJson reads valid JSON as JSON.parse does', () => {
    const text =
      '\r\n{ "name" : "acme/hello", "a": [1, -2.5e+3, true, null, {}, [], "\\u00e9\\n\\/ü 😀", "\\ud83d\\ude00"], "": {"__proto__": 1} }\n';
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['{"name": "a/b",}', 1, 15, /comma before "}" is one too many/],
    ['{\n  "name": "a/b"\n  "type": "library"\n}', 3, 3, /comma or "}" was expected/],
    ['{\n  "name": \'a/b\'\n}', 2, 11, /double quotes only/],
    ['{\n  // a comment\n}', 2, 3, /no comments/],
    ['{"a" "b"}', 1, 6, /colon/],
    ['{"a": "b', 1, 7, /not closed/],
    ['{"a": "b\n"}', 1, 9, /next line/],
    ['{"psr-4": {"Acme\\": ""}}', 1, 22, /comma or "}"|colon/],
    ['{"a": "C:\\dir"}', 1, 10, /not an escape/],
    ['{"a": 01}', 1, 7, /"01"/],
    ['{"a": nul}', 1, 7, /"nul"/],
    ['{"a": 1} x', 1, 10, /end of the JSON text/],
    ['{"a": [1, 2', 1, 12, /the end of the file/],
    ['{"a": "\\ud800"}', 1, 7, /surrogate/],
    ['{"a": "\t"}', 1, 8, /control character/],
  ])('the text %j is INVALID_JSON with its line', (text, line, column, problem) => {
    const { code, message } = refusal(text);
    expect(() => JSON.parse(text.replace('\\ud800', '\\q')) as unknown).toThrow();
    expect(code).toBe('INVALID_JSON');
    expect(message).toContain(`acme/hello/composer.json, line ${line}, column ${column}:`);
    expect(message).toMatch(problem);
  });

  it('the error of a byte that is not UTF-8 names the line', () => {
    const bytes = Buffer.concat([
      Buffer.from('{\n  "name": "a/b",\n  "description": "'),
      Buffer.from([0xe9]),
      Buffer.from('"\n}'),
    ]);
    expect(refusal(bytes)).toEqual({ code: 'INVALID_JSON', message: expect.stringMatching(/line 3: .*UTF-8/) });
  });

  it('a byte-order mark and an empty file are refused', () => {
    expect(refusal('\ufeff{}')).toEqual({ code: 'INVALID_JSON', message: expect.stringContaining('byte-order mark') });
    expect(refusal(' \n')).toEqual({ code: 'INVALID_JSON', message: expect.stringContaining('empty') });
  });

  it.each([
    ['[]', 'an array'],
    ['"x"', 'a string'],
    ['null', 'null'],
    ['5', 'a number'],
  ])('a composer.json that is %s instead of an object is refused', (text, kind) => {
    expect(refusal(text)).toEqual({ code: 'INVALID_COMPOSER_JSON', message: expect.stringContaining(kind) });
  });

  it('a repeated key has its last value at its first place, and each repetition is reported', () => {
    const repeated: string[] = [];
    const json = parseComposerJson(
      Buffer.from('{"require": {}, "a": 1, "re\\u0071uire": {"x": 1, "x": 2}}'),
      'composer.json',
      (key) => repeated.push(key),
    );
    expect(JSON.stringify(json)).toBe('{"require":{"x":2},"a":1}');
    expect(repeated).toEqual(['require', 'x']);
    expect(parse('{"a": {"x": 1}, "b": {"x": 1}}')).toEqual({ a: { x: 1 }, b: { x: 1 } });
  });

  it('nesting that PHP could not decode is refused at any depth', () => {
    for (const levels of [200, 200_000]) {
      expect(refusal(`{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`)).toEqual({
        code: 'INVALID_COMPOSER_JSON',
        message: expect.stringContaining('nested'),
      });
    }
  });

  it.each(['1e400', '-1e999', '9'.repeat(400)])('the number %s, which would become null, is refused', (number) => {
    expect(refusal(`{\n  "extra": {"most": ${number}}}`)).toEqual({
      code: 'INVALID_COMPOSER_JSON',
      message: expect.stringContaining(
        `composer.json, line 2, column 21: the number ${number.slice(0, 20)} is too large`,
      ),
    });
  });

  it('a file of more than 1 MiB is refused', () => {
    expect(refusal(`{"a": "${'x'.repeat(maxComposerJsonBytes)}"}`)).toEqual({
      code: 'INVALID_COMPOSER_JSON',
      message: expect.stringContaining('larger'),
    });
  });
});
