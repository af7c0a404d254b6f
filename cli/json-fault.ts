// What is wrong with a JSON text that a person wrote, and where, in words that are the same with every version of Node. Pure.

import { checkJsonText, JsonTextError } from '../build/record/json-text.ts';

/** A phrase behind the file's name; undefined where it is JSON that says everything once. */
export function jsonFault(text: string): string | undefined {
  try {
    checkJsonText(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const before = text.slice(0, error.offset).split('\n');
    return `${error.syntax ? 'is not valid JSON' : 'cannot be used'} (line ${before.length}, column ${(before.at(-1) ?? '').length + 1}): ${error.message}.`;
  }
}
