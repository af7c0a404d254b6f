// The check of people whose identity provider is not configured any more: they cannot sign in, and their terminals are
// suspended.

import { hasWayIn } from '../../proxy/auth/local-sign-in.ts';
import { hasProviderOnly, parseUserRecord, userKeyPrefix, type UserRecord } from '../../proxy/auth/user.ts';
import type { Config } from '../config/config.ts';
import { counted } from '../io/output.ts';
import { withStateIfAny } from '../state/open-state.ts';
import { warning, type Finding } from './finding.ts';

const mostNamed = 5;

/** Returns no finding if each person has a way in, or the setting localSignIn alone keeps them out. */
export async function check(config: Config): Promise<readonly Finding[]> {
  return withStateIfAny(config, [], async (state) => {
    const people = (await state.range(userKeyPrefix)).map(({ value }) => parseUserRecord(value));
    const issuers = config.identityProviders.value.map(({ issuer }) => issuer);
    const without = people.filter(
      (person) => person.status === 'active' && hasProviderOnly(person) && !hasWayIn({ issuers }, person),
    );
    return without.length === 0 ? [] : [finding(without)];
  });
}

function finding(people: readonly UserRecord[]): Finding {
  const named = people.slice(0, mostNamed).map(({ email }) => email);
  const more = people.length > mostNamed ? ` and ${people.length - mostNamed} more` : '';
  return warning(
    'people',
    `${counted(people.length, 'person has', 'people have')} no way to sign in, because their identity provider is not ` +
      `configured: ${named.join(', ')}${more}. Their terminals are suspended`,
    'Add the provider to "identityProviders" again. Or give each of them a password: `libretto user update EMAIL --invite`.',
  );
}
