// Opens the target of the request log. A file that cannot be written is reported at the start.

import { mkdirSync, openSync, closeSync } from 'node:fs';
import { dirname } from 'node:path';

import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import { folderFault } from '../../build/shared/files/folder-fault.ts';
import { logMode } from '../../proxy/core/observe/line-writer.ts';
import { openLog, type Log } from '../../proxy/core/observe/log.ts';
import { formatOrigin, type Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import type { LogTarget } from '../config/setting-values.ts';
import { UsageError } from '../io/usage-error.ts';

/**
 * Serving needs no log: on a full or read-only disk, the log goes to standard output, which a service manager stores.
 */
function toStandardOutput(path: string, stderr: Context['stderr'], shared: boolean): Log {
  printLines(stderr, [
    `The request log ${path} cannot be written, since the disk is full or read-only. Until the next start it ` +
      'goes to standard output.',
  ]);
  return openLog({ destination: 1, shared, now: Date.now, onError: () => undefined });
}

/** `shared`: other processes write to the same place. Throws UsageError. */
export function openRequestLog(
  { log: { origin } }: Config,
  { stderr }: Pick<Context, 'stderr'>,
  target: LogTarget,
  shared = false,
): Log {
  if (target.to === 'file') {
    try {
      mkdirSync(dirname(target.path), { recursive: true });
      closeSync(openSync(target.path, 'a', logMode));
    } catch (error) {
      if (storageFaultOf(folderFault(error, dirname(target.path))) !== undefined)
        return toStandardOutput(target.path, stderr, shared);
      throw new UsageError(
        `The request log ${target.path} (${formatOrigin(origin)}) cannot be written: ` +
          `${(error as Error).message}. Name another with --log.`,
        { cause: error },
      );
    }
  }
  const onError = (error: Error): void =>
    printLines(stderr, [`The request log can no longer be written; the server continues without it: ${error.message}`]);
  return openLog({
    destination: target.to === 'file' ? target.path : 1,
    requests: target.to !== 'none',
    shared,
    now: Date.now,
    onError,
  });
}
