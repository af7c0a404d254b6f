// Reads a secret from a file or from standard input, because every user of this machine can see a command line.

import { readFileSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { adviceOnReadFault } from './file-owner.ts';
import { describeReadFault } from './read-fault.ts';
import { UsageError } from './usage-error.ts';

/** `file`: a path, or - for standard input. `what`: what it contains, for messages. Throws UsageError. */
export function secretIn(file: unknown, workingDirectory: string, what = 'credential'): string {
  const name = String(file);
  const path = name === '-' ? undefined : resolve(workingDirectory, name);
  try {
    return path === undefined ? readStandardInput() : readFileSync(path, 'utf8');
  } catch (error) {
    const owner = path === undefined ? '' : adviceOnReadFault(path, error);
    const remedy = owner === '' ? ` Name the file with the ${what}, or - for standard input.` : owner;
    const subject = path === undefined ? 'Standard input' : name;
    throw new UsageError(`${subject} cannot be read: ${describeReadFault(error)}.${remedy}`, { cause: error });
  }
}

const pauseMs = 20;

/** Waits for a writer that is slow: a pipe that another part of the process does not block for says EAGAIN. */
function readStandardInput(): string {
  const parts: Buffer[] = [];
  for (const part = Buffer.alloc(65_536); ;) {
    try {
      const length = readSync(0, part);
      if (length === 0) return Buffer.concat(parts).toString('utf8');
      parts.push(Buffer.from(part.subarray(0, length)));
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

/** Throws UsageError for an empty one. */
export function firstLine(text: string, what = 'secret'): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new UsageError(`The ${what} is empty. Write the ${what} in the first line.`);
  return line;
}
