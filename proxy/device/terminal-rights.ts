// What the token of a terminal can do for its person, in words: the page before the approval and the terminal say it.
// The words follow the permission table. Pure.

import { decidePermission, hasCondition, type Permission } from '../auth/permissions.ts';
import type { Role } from '../core/tokens/person.ts';

/** `seesAll`: false for a person who sees only the packages of teams. */
export interface TerminalPerson {
  readonly role: Role;
  readonly seesAll: boolean;
}

const deeds: readonly (readonly [Permission, string])[] = [
  ['createArtifact', 'publish packages'],
  ['createRepository', 'register repositories'],
  ['syncRepository', 'sync them'],
  ['listUsers', 'list people and tokens'],
  ['listAuditEvents', 'read the audit log'],
];

/** Two or three sentences. */
export function rightsText({ role, seesAll }: TerminalPerson): string {
  const reads = `read ${seesAll ? 'all packages' : 'the packages of your teams'}`;
  const able = deeds.filter(([permission]) => isOpen(permission, role, !seesAll)).map(([, words]) => words);
  const stays = able.length === 0 ? '' : ' What it publishes or registers stays when the token ends.';
  return (
    `It can ${listed([reads, ...able])}.${stays} It cannot change or remove what is there, settings, people, tokens or ` +
    'second factors: that needs the console.'
  );
}

function isOpen(permission: Permission, role: Role, limited: boolean): boolean {
  return decidePermission(permission, role, limited) === 'allowed' && !hasCondition(permission, 'session');
}

/** `a, b and c` */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
