// Parses the number of a publication from the command line.

import { parseWholeNumber } from './setting-values.ts';
import { UsageError } from '../io/usage-error.ts';

/** Throws UsageError for anything else. */
export function parseSerial(text: string): number {
  const serial = parseWholeNumber(text, 1, Number.MAX_SAFE_INTEGER);
  if (serial === undefined)
    throw new UsageError(`${text} is not the number of a publication. \`libretto history list\` lists them.`);
  return serial;
}
