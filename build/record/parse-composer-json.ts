// Parses the bytes of a composer.json into an object; an error names the line. The parser is as strict as Composer:
// UTF-8 without a byte-order mark.

import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { readJson } from './exact-integers.ts';
import { checkJsonText, JsonTextError, type RepeatedKey } from './json-text.ts';

/** Composer.json files are a few kilobytes; p2 repeats one for every version. */
export const maxComposerJsonBytes = 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Receives each key that occurs twice in one object of a composer.json. */
export type NoteRepeated = (key: string) => void;

/**
 * Parses the object of a composer.json. `where` names the file in messages. The last value of a repeated key counts, as
 * in PHP. Throws QuarantineError: INVALID_JSON with line and column for a text that is no JSON. INVALID_COMPOSER_JSON
 * for JSON that is no object, or that clients read differently.
 */
export function parseComposerJson(
  bytes: Uint8Array,
  where: string,
  noteRepeated: NoteRepeated = () => undefined,
): JsonObject {
  if (bytes.byteLength > maxComposerJsonBytes)
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      `${where} is larger than ${maxComposerJsonBytes} bytes, the most a composer.json may have.`,
    );
  const text = decode(bytes, where);
  if (text.startsWith('\ufeff'))
    throw new QuarantineError(
      'INVALID_JSON',
      `${where}, line 1: it begins with a byte-order mark, which Composer does not read. Save it as UTF-8 without one.`,
    );
  if (text.trim() === '') throw new QuarantineError('INVALID_JSON', `${where}, line 1: it is empty.`);
  for (const { key } of checkText(text, where)) noteRepeated(key);
  const json = readJson(text);
  if (!isJsonObject(json))
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      `${where}: a composer.json holds a JSON object, this one ${kindOf(json)}.`,
    );
  return json;
}

function decode(bytes: Uint8Array, where: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new QuarantineError(
      'INVALID_JSON',
      `${where}, line ${firstUndecodableLine(bytes)}: it is not valid UTF-8. Save it as UTF-8.`,
      { cause },
    );
  }
}

/** No character of several bytes holds a line feed, so that each line can be decoded by itself. */
function firstUndecodableLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start <= bytes.byteLength; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end < 0 ? bytes.byteLength : end;
    if (!isUtf8(bytes.subarray(start, stop))) break;
    start = stop + 1;
  }
  return line;
}

function checkText(text: string, where: string): readonly RepeatedKey[] {
  try {
    return checkJsonText(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    throw new QuarantineError(
      error.syntax ? 'INVALID_JSON' : 'INVALID_COMPOSER_JSON',
      `${where}, ${place}: ${error.message}.`,
      { cause: error },
    );
  }
}

function kindOf(json: unknown): string {
  if (Array.isArray(json)) return 'an array';
  return json === null ? 'null' : `a ${typeof json}`;
}
