// Tests that the scanner and JSON.parse agree on valid JSON, except for texts that the scanner refuses on purpose.

import { fc } from '../util/seeded-check.ts';
import { expect, it } from 'vitest';
import { checkJsonText, JsonTextError } from '../../build/record/json-text.ts';

function verdict(text: string): 'json' | 'refused' | 'not json' {
  try {
    checkJsonText(text);
    return 'json';
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return error.syntax ? 'not json' : 'refused';
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const document = fc.json({ maxDepth: 4, stringUnit: 'binary' });

/** A document with one piece removed or inserted, in characters of UTF-8. */
const damaged = fc
  .tuple(
    document,
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.constantFrom('', ',', '"', '}', ']', '\\', '0', 'e', '.', '-', ' ', '\n', '\u0000', ':'),
  )
  .map(([text, place, cut, put]) => {
    const at = place % (text.length + 1);
    return (text.slice(0, at) + put + text.slice(at + cut)).toWellFormed();
  });

it.each([
  ['a document', document],
  ['a damaged document', damaged],
])('the scanner agrees with JSON.parse on %s', (_, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      const judgement = verdict(text);
      if (judgement === 'json') expect(parses(text)).toBe(true);
      // JSON.parse accepts half a surrogate pair in an escape, so that only other texts are compared.
      if (judgement === 'not json' && !/\\u[dD][89a-fA-F]/.test(text)) expect(parses(text)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
