// After a complete build has published, prefetches the packages that libretto.json lists for other Composer
// repositories. The prefetch changes no published file, and reports each failure as a failed source.

import { constants } from 'node:os';

import type { BuildReport } from '../../build/contract/build-report.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import { StateError } from '../../proxy/core/state/state-error.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { counted, printLines } from '../io/output.ts';
import type { Stopped } from '../builds/stoppable-build.ts';
import { prefetch } from './prefetch.ts';
import { openMirror } from './mirror-command.ts';
import { configuredRepositories } from './composer-repositories.ts';

/** Gives the exit code after a signal: archives that were fetched before the signal stay. */
export async function prefetchAfterBuild(
  report: BuildReport,
  config: Config,
  context: Context,
): Promise<BuildReport | Stopped> {
  try {
    return await prefetchAll(report, config, context);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    // Without the state, private names are unknown, and no upstream may learn a private name.
    const failed = configuredRepositories(config, context.environment).map(({ url }) => ({
      source: url,
      reason: `nothing was fetched in advance: ${error.message}`,
    }));
    return { ...report, failed: [...report.failed, ...failed] };
  }
}

async function prefetchAll(report: BuildReport, config: Config, context: Context): Promise<BuildReport | Stopped> {
  const state = (await openStateIfAny(config)) ?? createMemoryStore();
  const { mirror, others, close } = await openMirror(config, context, state, true);
  const failed: BuildReport['failed'][number][] = [];
  const moment = { nowMs: context.now().getTime(), epoch: report.serial };
  const signal = stopOnSignal(context, () => mirror.close());
  try {
    for (const repository of await others()) {
      if (Object.keys(repository.packages).length === 0) continue;
      const { fetched, here, failures } = await prefetch(mirror, repository, () => moment);
      const exitCode = signal.exitCode();
      if (exitCode !== undefined) return { exitCode };
      printLines(context.remarks, [
        `${repository.url}: ${counted(fetched.length, 'archive')} fetched in advance, ${here} already stored.`,
      ]);
      failed.push(...failures.map((reason) => ({ source: repository.url, reason })));
    }
  } finally {
    signal.ignore();
    await close();
    await state.close();
  }
  return { ...report, failed: [...report.failed, ...failed] };
}

interface StopSignal {
  /** undefined before a signal */
  readonly exitCode: () => number | undefined;
  readonly ignore: () => void;
}

function stopOnSignal({ onSignal }: Context, stop: () => Promise<void>): StopSignal {
  let over = false;
  let exitCode: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    onSignal(name, () => {
      if (over) return;
      exitCode ??= 128 + constants.signals[name];
      stop().catch(() => undefined); // the `finally` above closes the mirror too, and reports a failure
    });
  }
  return { exitCode: () => exitCode, ignore: () => void (over = true) };
}
