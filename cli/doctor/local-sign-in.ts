// The check of the setting localSignIn: whether its named admins could sign in on the day on which the identity
// provider fails.

import { localSignInRule, localSignInPeople, repairLocalSignIn } from '../compose/local-sign-in.ts';
import type { Config } from '../config/config.ts';
import { withStateIfAny } from '../state/open-state.ts';
import { ok, warning, type Finding } from './finding.ts';

const name = 'localSignIn';

/** Returns no finding if everybody may sign in with a password. */
export async function check(config: Config): Promise<readonly Finding[]> {
  const rule = localSignInRule(config);
  if (rule === undefined) return [];
  const without = rule.providers.length === 0 ? [withoutProvider] : [];
  return withStateIfAny(config, without, async (state) => {
    const { able, unable, remedies } = await localSignInPeople(state, rule);
    if (able.length === 0)
      return [
        ...without,
        warning(name, `no admin of this setting could sign in: ${unable.join('; ')}`, remedies[0] ?? repairLocalSignIn),
      ];
    const some = unable.map((text, at) =>
      warning(name, `${text}, and could not sign in`, remedies[at] ?? repairLocalSignIn),
    );
    return [...without, ...some, ok(name, `${able.join(', ')} can sign in with a password and a second factor`)];
  });
}

const withoutProvider = warning(
  name,
  'only the admins of this setting can sign in, because no identity provider is configured',
  'Add "identityProviders" to libretto.json, or remove "localSignIn".',
);
