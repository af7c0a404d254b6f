// The webhooks of this registry that connections install at forges. A connection has a secret of its own for the address
// of all repositories, so that its end withdraws no other one.

import type { ConnectedHook, HookSecrets } from '../../proxy/forges/refresh/refresh-parts.ts';
import { hookPath, type HookOwner } from '../../proxy/hooks/hook-record.ts';
import type { Hooks } from '../../proxy/hooks/hooks.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Config } from '../config/config.ts';

/** undefined: this registry does not know the address at which a forge reaches it, or takes no webhooks. */
export function composeConnectedHooks(config: Config, hooks: Pick<Hooks, 'issue'>): HookSecrets | undefined {
  const url = publicUrlOf(config)?.url.replace(/\/$/, '');
  if (url === undefined || !config.features.value.includes('hooks')) return undefined;
  return {
    sharedUrl: `${url}${hookPath({ of: 'registry' })}`,
    of: (hook) => ({
      url: `${url}${hookPath(hook.of === 'repository' ? hook : { of: 'registry' })}`,
      makeSecret: async () => (await hooks.issue(ownerOf(hook))).secret,
    }),
  };
}

function ownerOf(hook: ConnectedHook): HookOwner {
  return hook.of === 'repository' ? hook : { of: 'registry', name: hook.id };
}
