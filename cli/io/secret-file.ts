// Reads a secret from a file or from standard input, because every user of this machine can see a command line.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { adviceOnReadFault } from './file-owner.ts';
import { describeReadFault } from './read-fault.ts';
import { UsageError } from './usage-error.ts';

/** `file`: a path, or - for standard input. `what`: what it contains, for messages. Throws UsageError. */
export function secretIn(file: unknown, workingDirectory: string, what = 'credential'): string {
  const name = String(file);
  const path = name === '-' ? undefined : resolve(workingDirectory, name);
  try {
    return readFileSync(path ?? 0, 'utf8');
  } catch (error) {
    const owner = path === undefined ? '' : adviceOnReadFault(path, error);
    const remedy = owner === '' ? ` Name the file with the ${what}, or - for standard input.` : owner;
    const subject = path === undefined ? 'Standard input' : name;
    throw new UsageError(`${subject} cannot be read: ${describeReadFault(error)}.${remedy}`, { cause: error });
  }
}

/** Throws UsageError for an empty one. */
export function firstLine(text: string, what = 'secret'): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new UsageError(`The ${what} is empty. Write the ${what} in the first line.`);
  return line;
}
