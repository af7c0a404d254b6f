// A build that Ctrl+C and SIGTERM end in order: it stops git with all descendants, publishes nothing more, and releases
// the lock. It completes a publication that has started, because the next build would complete it anyway.

import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { build } from '../../build/build.ts';
import type { BuildEffects, BuildRequest } from '../../build/scan/build-request.ts';
import type { BuildReport, ProgressEvent } from '../../build/contract/build-report.ts';
import type { Context } from '../io/context.ts';
import { describeStep, describeTimings } from './build-steps.ts';
import { printLines } from '../io/output.ts';
import { startProgress } from '../io/progress.ts';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatLastBuild, lastBuildPath, type LastBuild } from '../../build/contract/last-build.ts';
import { BuildBusy, BuildRefused } from '../../build/contract/refusals.ts';
import { replaceDataFile } from '../io/replace-data-file.ts';

/** After this time all running work ends with the process: a build may be killed at any moment. */
const graceMs = 5000;
/** Ctrl+C under npm or another wrapper arrives twice, from the terminal and passed on: that is one wish. */
const sameRequestMs = 200;

export type Stopped = { readonly exitCode: number };

/**
 * The report, or the exit code of a build that was stopped: 128 and the number of the signal, as of a process that dies
 * of it.
 */
export async function stoppableBuild(
  request: BuildRequest,
  context: Context,
  start: (request: BuildRequest, effects: BuildEffects) => Promise<BuildReport> = build,
): Promise<BuildReport | Stopped> {
  const { environment, steps, now } = context;
  const progress = await startProgress(context.progress, () => now().getTime());
  const show = (event: ProgressEvent): void => {
    progress.show(event);
    printLines(steps, [describeStep(event)]);
  };
  const stopRequest = listen(context, progress.stop);
  try {
    const report = await start(request, { now, progress: show, environment, stop: stopRequest.signal });
    if (request.dryRun !== true) await noteBuild(request.dataDirectory, report, now());
    printLines(steps, describeTimings(report));
    return report;
  } catch (error) {
    if (stopRequest.exitCode() === undefined && error instanceof Error && request.dryRun !== true)
      await noteBuild(request.dataDirectory, error, now());
    if (stopRequest.exitCode() === undefined) throw error;
    return { exitCode: stopRequest.exitCode() ?? 1 };
  } finally {
    stopRequest.ignore();
    progress.stop();
  }
}

interface StopRequest {
  readonly signal: AbortSignal;
  /** undefined unless a signal has asked the build to stop */
  readonly exitCode: () => number | undefined;
  readonly ignore: () => void;
}

function listen({ onSignal, exitNow, stderr, now }: Context, beforeTalking: () => void): StopRequest {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // one listener for each running git
  let requested: { readonly exitCode: number; readonly at: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const exitCode = 128 + constants.signals[name];
    onSignal(name, () => {
      if (over) return;
      if (requested !== undefined) {
        if (now().getTime() - requested.at > sameRequestMs) exitNow(exitCode);
        return;
      }
      requested = { exitCode, at: now().getTime() };
      beforeTalking();
      printLines(stderr, ['Stopping the build. The published versions stay. Press Ctrl+C again to stop at once.']);
      timer = setTimeout(() => exitNow(exitCode), graceMs);
      controller.abort(new Error('The build was stopped.'));
    });
  }
  return {
    signal: controller.signal,
    exitCode: () => requested?.exitCode,
    ignore: () => {
      over = true;
      clearTimeout(timer);
    },
  };
}

// Writes down how a build ended.

/**
 * `ended`: its report or its error. A build that was refused before its start is not recorded. False if the record
 * could not be written; the build itself is unaffected.
 */
async function noteBuild(dataDirectory: string, ended: BuildReport | Error, now: Date): Promise<boolean> {
  if (ended instanceof BuildBusy || ended instanceof BuildRefused) return false;
  const path = join(dataDirectory, lastBuildPath);
  if (!existsSync(dirname(path))) return false;
  try {
    await replaceDataFile(path, formatLastBuild(lastBuildOf(ended, now)), { mode: 0o666, durable: false });
    return true;
  } catch {
    return false;
  }
}

function lastBuildOf(ended: BuildReport | Error, now: Date): LastBuild {
  const finished_at = now.toISOString();
  if (ended instanceof Error) return { finished_at, outcome: 'failed', quarantined: 0, failed_sources: 0 };
  return {
    finished_at,
    outcome: ended.published ? 'published' : 'unchanged',
    quarantined: ended.quarantined.length,
    failed_sources: ended.failed.length,
  };
}
