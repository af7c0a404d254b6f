// Users as the user commands show them to people. Pure.

import type { UserDetails, UserDocument } from '../../proxy/people/user-schema.ts';
import { formatFields, formatTable } from '../io/output.ts';

export function describeUsers(users: readonly UserDocument[]): string[] {
  return formatTable(
    ['ID', 'ROLE', 'STATUS', 'TWO-FACTOR', 'LAST LOGIN', 'EMAIL'],
    users.map((user) => [
      user.id,
      user.role,
      user.status,
      user.two_factor_enabled ? 'on' : 'off',
      user.last_login_at ?? 'never',
      user.email,
    ]),
  );
}

export function describeUser(user: UserDocument): string[] {
  return formatFields([
    ['id', user.id],
    ['email', user.email],
    ...(user.name === null ? [] : [['name', user.name] as const]),
    ['role', user.role],
    ...(user.policy_editor ? [['rights', 'changes the policy'] as const] : []),
    ['status', user.status],
    ['two-factor', user.two_factor_enabled ? 'on' : 'off'],
    ...(user.passkeys === 0 ? [] : [['passkeys', String(user.passkeys)] as const]),
    ['last login', user.last_login_at ?? 'never'],
  ]);
}

export function describeDetails(user: UserDetails): string[] {
  const { identities, teams, packages, tokens } = user;
  return [
    ...describeUser(user),
    ...formatFields([
      ...identities.map(({ issuer, subject }) => ['signs in at', `${issuer} as ${subject}`] as const),
      ...teams.map(({ name }) => ['team', name] as const),
      ['sees', packages === null ? 'all packages' : packages.join(', ') || 'no packages'],
      ...tokens.map(({ id, description }) => ['terminal', `${id}, ${description}`] as const),
    ]),
  ];
}
