// Decides the role of a person from the claims that an identity provider signed. The highest role of the person's
// mapped groups counts, and a person without a mapped group gets no role. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { roles } from '../../auth/permissions.ts';
import type { Role } from '../../core/tokens/person.ts';
import { claimAt } from '../model/claim-at.ts';

export interface RoleRule {
  /**
   * The claim that has the groups: its name, such as `groups` or `https://acme.example/groups`, a path such as
   * `realm_access.roles`, or a JSON Pointer such as `/resource_access/libretto/roles`.
   */
  readonly claim: string;
  /** group → role; groups must be equal to the letter */
  readonly roles: Readonly<Record<string, Role>>;
}

/**
 * - `no-claim`: the claim is missing, or is neither a text nor a list.
 * - `no-mapped-group`: no group of the claim has a role.
 * - `too-many-groups`: the provider left the groups out, because the person is in too many (Entra ID does so).
 */
export type RoleRefusal = 'no-claim' | 'no-mapped-group' | 'too-many-groups';

/** `found`: the groups of the claim, each once */
export type RoleDecision =
  | { readonly role: Role }
  | { readonly refused: RoleRefusal; readonly found: readonly string[] };

export function roleOfClaims(claims: JsonObject, rule: RoleRule): RoleDecision {
  const groups = groupsOf(claimAt(claims, rule.claim));
  if (groups === undefined)
    return { refused: leavesOut(claims, rule.claim) ? 'too-many-groups' : 'no-claim', found: [] };
  const mapped = groups.flatMap((group) => (Object.hasOwn(rule.roles, group) ? [rule.roles[group]] : []));
  // `roles` begins with the highest
  const role = roles.find((one) => mapped.includes(one));
  return role === undefined ? { refused: 'no-mapped-group', found: groups } : { role };
}

function groupsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  return [...new Set((value as readonly JsonValue[]).filter((one) => typeof one === 'string'))];
}

/** Entra ID names a claim that it left out in `_claim_names`, or says `hasgroups` in its place. */
function leavesOut({ _claim_names: names, hasgroups }: JsonObject, claim: string): boolean {
  if (isJsonObject(names) && Object.hasOwn(names, claim.replace(/^\//, ''))) return true;
  return /^\/?groups$/.test(claim) && (hasgroups === true || hasgroups === 'true');
}
