// The current settings of the mirror, for commands that read them once.

import type { MirrorRules } from '../../proxy/mirror/rules/mirror-rules.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { composeKeys } from '../compose/keys.ts';
import { composeSettings } from '../compose/settings.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { nothingPurged } from '../../build/contract/purged.ts';
import { composePolicy } from '../policy/compose-policy.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { mirrorRules } from './compose-mirror.ts';
import { otherRepositories } from './composer-repositories.ts';

/** Throws UsageError and BuildRefused as `otherRepositories` does, and PolicyFileError. */
export async function currentMirrorRules(config: Config, context: Context, state: StateStore): Promise<MirrorRules> {
  const settings = composeSettings(config, context, state);
  const now = (): number => context.now().getTime();
  const policy = await composePolicy(config, { settings, store: state, now }).current(now());
  return { ...(await currentUpstreams(config, context, state)), releases: { policy, purged: nothingPurged } };
}

/**
 * The settings without the policy: a faulty policy file does not hide them. Throws UsageError and BuildRefused as
 * `otherRepositories` does.
 */
export async function currentUpstreams(
  config: Config,
  context: Context,
  state: StateStore,
): Promise<Omit<MirrorRules, 'releases'>> {
  const others = await otherRepositories({
    config,
    environment: context.environment,
    state,
    sealer: composeKeys(config, context).sealer,
  })();
  return mirrorRules(await composeSettings(config, context, state).current(), others, context.environment);
}

/** The same with the state of this data folder; without one, those of libretto.json. */
export async function upstreamsHere(config: Config, context: Context): Promise<Omit<MirrorRules, 'releases'>> {
  const state = (await openStateIfAny(config)) ?? createMemoryStore();
  return currentUpstreams(config, context, state).finally(() => state.close());
}
