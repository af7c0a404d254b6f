// Finds the first fault of a JSON text and its position, with the same words in every version of Node. Pure.

import { checkJsonText, JsonTextError } from '../../build/record/json-text.ts';

/** A phrase behind the file's name; undefined for valid JSON without repeated keys. */
export function jsonFault(text: string): string | undefined {
  try {
    const [repeated] = checkJsonText(text);
    if (repeated === undefined) return undefined;
    return faultAt(
      text,
      repeated.offset,
      'cannot be used',
      `the key ${JSON.stringify(repeated.key.slice(0, 100))} occurs twice in one object; keep one of them`,
    );
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return faultAt(text, error.offset, error.syntax ? 'is not valid JSON' : 'cannot be used', error.message);
  }
}

function faultAt(text: string, offset: number, verdict: string, problem: string): string {
  const before = text.slice(0, offset).split('\n');
  return `${verdict} (line ${before.length}, column ${(before.at(-1) ?? '').length + 1}): ${problem}.`;
}
