// Reads a secret from a file or from standard input, because every user of this machine can see a command line.

import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { adviceOnReadFault } from './file-owner.ts';
import { describeReadFault } from './read-fault.ts';
import { UsageError } from './usage-error.ts';

/** The API takes no longer credential. */
const longestSecret = 20_000;

/**
 * `file`: a path, or - for standard input. `what`: what it contains, for messages. `most`: bytes. Throws UsageError.
 */
export function secretIn(file: unknown, workingDirectory: string, what = 'credential', most = longestSecret): string {
  const name = String(file);
  const path = name === '-' ? undefined : resolve(workingDirectory, name);
  const subject = path === undefined ? 'Standard input' : name;
  try {
    const bytes = path === undefined ? readUpTo(0, most + 1) : readFile(path, most + 1);
    if (bytes.length <= most) return bytes.toString('utf8');
  } catch (error) {
    const owner = path === undefined ? '' : adviceOnReadFault(path, error);
    const remedy = owner === '' ? ` Name the file with the ${what}, or - for standard input.` : owner;
    throw new UsageError(`${subject} cannot be read: ${describeReadFault(error)}.${remedy}`, { cause: error });
  }
  throw new UsageError(`${subject} is too long for the ${what}: the limit is ${most} bytes.`);
}

function readFile(path: string, most: number): Buffer {
  const file = openSync(path, 'r');
  try {
    return readUpTo(file, most);
  } finally {
    closeSync(file);
  }
}

const pauseMs = 20;

/** Waits for a writer that is slow: a pipe that another part of the process does not block for says EAGAIN. */
function readUpTo(file: number, most: number): Buffer {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (const part = Buffer.alloc(65_536); ;) {
    try {
      const length = readSync(file, part);
      parts.push(Buffer.from(part.subarray(0, length)));
      bytes += length;
      if (length === 0 || bytes >= most) return Buffer.concat(parts);
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
