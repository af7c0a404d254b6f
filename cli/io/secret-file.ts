// Reads a secret from a file or from standard input, because every user of this machine can see a command line.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeReadFault } from './read-fault.ts';
import { UsageError } from './usage-error.ts';

/** `file`: a path, or - for standard input. Throws UsageError. */
export function secretIn(file: unknown, workingDirectory: string): string {
  const path = String(file);
  try {
    return readFileSync(path === '-' ? 0 : resolve(workingDirectory, path), 'utf8');
  } catch (error) {
    const name = path === '-' ? 'Standard input' : path;
    throw new UsageError(
      `${name} cannot be read: ${describeReadFault(error)}. Name the file with the credential, or - for standard input.`,
      { cause: error },
    );
  }
}

/** Throws UsageError for an empty one. */
export function firstLine(text: string): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new UsageError('The secret is empty. Write the secret in the first line.');
  return line;
}
