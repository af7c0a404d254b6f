// What a build of everything does for other Composer repositories, once it has published: what they are set to have
// here at all times is fetched. It changes nothing that was published; what cannot be fetched is told as of a source
// that failed.

import { constants } from 'node:os';

import type { BuildReport } from '../../build/contract/build-report.ts';
import { createMemoryStore } from '../../proxy/state/memory-store.ts';
import { StateError } from '../../proxy/state/state-error.ts';
import { composeKeys } from '../compose/keys.ts';
import { composeSettings } from '../compose/settings.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { counted, printLines } from '../io/output.ts';
import type { Stopped } from '../builds/stoppable-build.ts';
import { prefetch } from './prefetch.ts';
import { composeMirror } from './compose-mirror.ts';
import { configuredRepositories, otherRepositories } from './composer-repositories.ts';
import { openPrivateNames } from './known-private-names.ts';

/** The exit code where a signal ended it: what was fetched by then is here. */
export async function prefetchAfterBuild(
  report: BuildReport,
  config: Config,
  context: Context,
): Promise<BuildReport | Stopped> {
  try {
    return await bringAll(report, config, context);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    // which names are reserved is not known then, and none may leave that is
    const failed = configuredRepositories(config, context.environment).map(({ url }) => ({
      source: url,
      reason: `nothing was fetched in advance: ${error.message}`,
    }));
    return { ...report, failed: [...report.failed, ...failed] };
  }
}

async function bringAll(report: BuildReport, config: Config, context: Context): Promise<BuildReport | Stopped> {
  const now = (): number => context.now().getTime();
  const state = (await openStateIfAny(config)) ?? createMemoryStore();
  const others = otherRepositories({
    config,
    environment: context.environment,
    state,
    sealer: composeKeys(config, context).sealer,
  });
  const privateNames = await openPrivateNames(config);
  const mirror = composeMirror(config, {
    settings: composeSettings(config, context, state),
    privateNames: privateNames.read,
    others,
    environment: context.environment,
    askedSinceMs: now(),
    now,
    tell: () => undefined,
  });
  const failed: BuildReport['failed'][number][] = [];
  const moment = { nowMs: now(), epoch: report.serial };
  const wish = stopOn(context, () => mirror.close());
  try {
    for (const repository of await others()) {
      if (Object.keys(repository.packages).length === 0) continue;
      const { fetched, here, failures } = await prefetch(mirror, repository, () => moment);
      const exitCode = wish.exitCode();
      if (exitCode !== undefined) return { exitCode };
      printLines(context.stderr, [
        `${repository.url}: ${counted(fetched.length, 'archive')} fetched in advance, ${here} already stored.`,
      ]);
      failed.push(...failures.map((reason) => ({ source: repository.url, reason })));
    }
  } finally {
    wish.ignore();
    await mirror.close();
    privateNames.close();
    await state.close();
  }
  return { ...report, failed: [...report.failed, ...failed] };
}

interface Wish {
  /** undefined as long as nobody wants it to stop */
  readonly exitCode: () => number | undefined;
  readonly ignore: () => void;
}

function stopOn({ onSignal }: Context, stop: () => Promise<void>): Wish {
  let over = false;
  let exitCode: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    onSignal(name, () => {
      if (over) return;
      exitCode ??= 128 + constants.signals[name];
      stop().catch(() => undefined); // whoever ends the work closes it too, and hears why that fails
    });
  }
  return { exitCode: () => exitCode, ignore: () => void (over = true) };
}
