// After a complete build has published, prefetches the packages that libretto.json lists for other Composer
// repositories. The prefetch changes no published file, and reports each failure as a failed source.

import { constants } from 'node:os';

import type { BuildReport } from '../../build/contract/build-report.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import { StateError } from '../../proxy/core/state/state-error.ts';
import { composeKeys } from '../compose/keys.ts';
import { composeSettings } from '../compose/settings.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { counted, printLines } from '../io/output.ts';
import type { Stopped } from '../builds/stoppable-build.ts';
import { prefetch } from './prefetch.ts';
import { composePolicy } from '../policy/compose-policy.ts';
import { composeMirror } from './compose-mirror.ts';
import { configuredRepositories, otherRepositories } from './composer-repositories.ts';
import { openPrivateNames } from './private-names-reader.ts';

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
  const now = (): number => context.now().getTime();
  const { environment } = context;
  const state = (await openStateIfAny(config)) ?? createMemoryStore();
  const others = otherRepositories({ config, environment, state, sealer: composeKeys(config, context).sealer });
  const privateNames = await openPrivateNames(config, context);
  const settings = composeSettings(config, context, state);
  const mirror = composeMirror(config, {
    settings,
    policy: composePolicy(config, { settings, store: state, now }),
    privateNames: privateNames.read,
    others,
    environment,
    askedSinceMs: now(),
    now,
    report: () => undefined,
  });
  const failed: BuildReport['failed'][number][] = [];
  const moment = { nowMs: now(), epoch: report.serial };
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
    await mirror.close();
    privateNames.close();
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
