// One line before a version goes: how many tokens and projects used it in the last days, and which. It leads to the page “Used by”.

import type { Child } from 'hono/jsx';
import { undefinedIf } from '../../../../build/contract/errors.ts';
import { settingPage } from '../../../settings/setting-groups.ts';
import { countUsers, nameOfUser } from '../../../usage/describe-users.ts';
import { getUsage } from '../../../usage/operations.ts';
import { keptDays, dayBefore } from '../../../usage/usage-row.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';
import type { UsageDocument } from '../../../usage/usage-schema.ts';
import { A } from '../../components/place.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import { packagePath } from './open-package.ts';

export interface UsedByProps extends Pick<UsageDocument, 'tokens' | 'projects'> {
  readonly name: string;
  readonly constraint: string;
  readonly since: string;
  /** null: uses are not counted by token */
  readonly countedSince: string | null;
  /** the descriptions of some, the last used first */
  readonly names: readonly string[];
}

const mostNames = 2;

/** `versions`: labels. undefined: the visitor may not know it. */
export async function readUsedBy(
  services: UsageServices,
  request: SignedInRequest,
  name: string,
  versions: readonly string[],
): Promise<UsedByProps | undefined> {
  if (!request.may('getUsage')) return undefined;
  const [vendor = '', project = ''] = name.split('/');
  const constraint = versions.join(' || ');
  const since = dayBefore(new Date(request.nowMs).toISOString().slice(0, 10), keptDays - 1);
  const input = { vendor, package: project, constraint, since };
  // the list of packages may be seconds older than the page: it lacks a package of this moment
  const usage = await callFor(services, request, getUsage, input).catch(undefinedIf('NOT_FOUND'));
  if (usage === undefined) return undefined;
  const { data, tokens, projects, counted_since: countedSince } = usage;
  const names = new Map(
    data.flatMap(({ token }) => (token === null ? [] : [[token.id + token.description, nameOfUser(token)]])),
  );
  return { name, constraint, since, countedSince, tokens, projects, names: [...names.values()].slice(0, mostNames) };
}

export function UsedBy({ name, constraint, since, countedSince, names, ...users }: UsedByProps): Child {
  const count = users.tokens + users.projects;
  if (countedSince === null && count === 0) return <NotCounted />;
  const period =
    countedSince !== null && countedSince > since ? `since ${countedSince}` : `in the last ${keptDays} days`;
  if (count === 0) return <p>No token or project used it {period}.</p>;
  const left = count - names.length;
  const more = left === 0 ? [] : [names.length === 0 ? 'names that you may not see' : `${left} more`];
  return (
    <p class="breaks">
      <A to={packagePath(name, 'usage', { constraint, since })}>Used by {countUsers(users)}</A> {period}:{' '}
      {[...names, ...more].join('; ')}. <A to={packagePath(name, 'tell', { constraint, since })}>Tell them</A>
    </p>
  );
}

export function NotCounted(): Child {
  return (
    <p class="soft">
      Who uses it is not counted: the setting <A to={settingPage('statistics.by')}>statistics.by</A> is not “token”.
    </p>
  );
}
