// Keeps the catalogue up to date beside a server: looks for a new publication, whoever published it, and runs
// `libretto site` in a process of its own. Publications that follow each other closely are written together.

import { join } from 'node:path';
import type { JsonObject } from '../../build/contract/json.ts';
import { publicationPath } from '../../build/contract/paths.ts';
import { sameStamp, stampFile, type FileStamp } from '../../build/shared/files/file-stamp.ts';
import type { BuildRunner } from '../../proxy/sync/build-runner.ts';

export interface SiteOptions {
  readonly dataDirectory: string;
  /** as configured; the command refuses an unsafe one */
  readonly folder: string;
  readonly runner: BuildRunner;
  readonly monotonicMs: () => number;
  /** receives the report of the command, if files were written or removed */
  readonly onWritten: (report: JsonObject) => void;
  /** receives the message of the command, once for each reason */
  readonly onFailure: (message: string) => void;
}

const lookEveryMs = 1000;
/** A full disk, or a folder without rights, is not better a second later. */
const retryAfterMs = 60_000;

/** Writes the catalogue now, because the settings may have changed, and after each publication. Returns its end. */
export function watchSite({ dataDirectory, folder, runner, ...rest }: SiteOptions): () => Promise<void> {
  const { monotonicMs, onWritten, onFailure } = rest;
  const path = join(dataDirectory, 'index', publicationPath);
  const closing = new AbortController();
  let written: FileStamp | undefined;
  let failed: { readonly stamp: FileStamp; readonly atMs: number; readonly message: string } | undefined;
  let running: Promise<void> | undefined;

  const isDue = (stamp: FileStamp | undefined): stamp is FileStamp => {
    if (stamp === undefined || sameStamp(stamp, written)) return false;
    return failed === undefined || !sameStamp(stamp, failed.stamp) || monotonicMs() - failed.atMs >= retryAfterMs;
  };
  const write = async (stamp: FileStamp): Promise<void> => {
    const { exitCode, report, messages } = await runner.run(['site', folder, '--child'], closing.signal);
    if (closing.signal.aborted) return;
    if (exitCode === 0) {
      [written, failed] = [stamp, undefined];
      if (report !== undefined && !isUnchanged(report)) onWritten(report);
      return;
    }
    const message = messages.replace(/^libretto: /, '');
    if (message !== failed?.message) onFailure(message);
    failed = { stamp, atMs: monotonicMs(), message };
  };
  const look = (): void => {
    const stamp = stampFile(path);
    if (running === undefined && isDue(stamp)) running = write(stamp).finally(() => (running = undefined));
  };
  const timer = setInterval(look, lookEveryMs).unref();
  look();
  return async () => {
    clearInterval(timer);
    closing.abort();
    await running;
  };
}

function isUnchanged({ written, removed }: JsonObject): boolean {
  return written === 0 && removed === 0;
}
