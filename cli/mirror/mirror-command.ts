// The frame of each mirror command: reads configuration and settings, opens the mirror, and prints its failures on
// standard error.

import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { MirrorRules } from '../../proxy/mirror/rules/mirror-rules.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { CommandInput } from '../io/command.ts';
import { openExistingState } from '../compose/tokens.ts';
import { composeKeys } from '../compose/keys.ts';
import { composeSettings } from '../compose/settings.ts';
import type { Config } from '../config/config.ts';
import { readDataFolder } from '../data-folder/open-data-folder.ts';
import type { Context } from '../io/context.ts';
import { composePolicy } from '../policy/compose-policy.ts';
import { composeMirror, mirrorFolder } from './compose-mirror.ts';
import { otherRepositories } from './composer-repositories.ts';
import { openPrivateNames } from './private-names-reader.ts';
import { currentMirrorRules } from './current-mirror-rules.ts';

export interface MirrorWork {
  readonly mirror: Mirror;
  readonly config: Config;
  readonly folder: string;
  /** the present rules from the settings */
  readonly rules: () => Promise<MirrorRules>;
}

export async function runMirrorCommand(
  context: Context,
  { flags }: CommandInput,
  work: (work: MirrorWork) => Promise<number>,
  { changes = false, asksAnew = false }: { readonly changes?: boolean; readonly asksAnew?: boolean } = {},
): Promise<number> {
  const config = await readDataFolder(context, flags, 'all', changes ? 'change' : 'read');
  const store = await openExistingState(config);
  const { mirror, close } = await openMirror(config, context, store, asksAnew);
  try {
    return await work({
      mirror,
      config,
      folder: mirrorFolder(config),
      rules: () => currentMirrorRules(config, context, store),
    });
  } finally {
    await close();
    await store.close();
  }
}

/** The mirror of a process that is no server. `asksAnew`: documents requested before now count as stale. */
export async function openMirror(config: Config, context: Context, store: StateStore, asksAnew: boolean) {
  const now = (): number => context.now().getTime();
  const { environment } = context;
  const { sealer } = composeKeys(config, context);
  const privateNames = await openPrivateNames(config, context);
  const settings = composeSettings(config, context, store);
  const others = otherRepositories({ config, environment, state: store, sealer });
  const mirror = composeMirror(config, {
    settings,
    policy: composePolicy(config, { settings, store, now }),
    privateNames: privateNames.read,
    others,
    environment,
    ...(asksAnew ? { askedSinceMs: now() } : {}),
    now,
    report: () => undefined,
  });
  const close = async (): Promise<void> => {
    await mirror.close();
    privateNames.close();
  };
  return { mirror, others, close };
}
