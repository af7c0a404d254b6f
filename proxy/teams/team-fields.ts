// What people give for a team, and its checks.

import { RegistryError } from '../../build/contract/errors.ts';
import { parseLimits, type LimitIssue } from '../core/views/token-limits.ts';

export interface TeamFields {
  readonly name?: string | undefined;
  /** patterns such as acme/core, acme/* and * */
  readonly packages?: readonly string[] | undefined;
}

/** A field that was not given is absent. */
interface CheckedFields {
  readonly name?: string;
  readonly packages?: readonly string[];
}

export interface TeamDraft extends TeamFields {
  readonly name: string;
  readonly packages: readonly string[];
  /** ids or e-mail addresses */
  readonly members?: readonly string[] | undefined;
}

export const mostTeams = 500;
export const mostMembers = 1000;
export const longestName = 100;

/** The fields in their canonical form. Throws INVALID_INPUT with every fault. */
export function checkedFields({ name, packages }: TeamFields): CheckedFields {
  const issues: LimitIssue[] = [];
  const trimmed = name?.trim();
  if (trimmed !== undefined && !isName(trimmed))
    issues.push({
      path: 'name',
      message: `must be one line of 1 to ${longestName} characters, and not begin with tea_`,
    });
  const parsed = packages === undefined ? { limits: {} } : parseLimits({ packages });
  if ('issues' in parsed) issues.push(...parsed.issues);
  if (issues.length > 0 || 'issues' in parsed) throw invalid(issues);
  const found = parsed.limits.packages ?? undefined;
  return { ...(trimmed !== undefined && { name: trimmed }), ...(found && { packages: found }) };
}

/** An id in place of a name would find another team. */
function isName(text: string): boolean {
  return text !== '' && text.length <= longestName && !/\p{C}/u.test(text) && !text.startsWith('tea_');
}

export function invalid(issues: readonly LimitIssue[]): RegistryError {
  return new RegistryError('INVALID_INPUT', { details: { issues: issues.map((issue) => ({ ...issue })) } });
}
