// The names of forges, owners and repositories. A name from a person or from an API's answer is parsed here once,
// before it becomes a part of an address.

import type { Branded } from '../../../build/contract/brand.ts';

export const forgeNames = ['github', 'gitlab', 'gitea', 'bitbucket'] as const;
export type ForgeName = (typeof forgeNames)[number];

/** For people. */
export const forgeTitles: Readonly<Record<ForgeName, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea',
  bitbucket: 'Bitbucket',
};

/** An organisation, a group with its parents (`acme/php`, GitLab only), a workspace or a user. */
export type OwnerName = Branded<string, 'OwnerName'>;

/**
 * `organization`: also a group or a workspace. `self`: the user whose token it is. `installation`: what a GitHub App
 * may read of the owner.
 */
export const ownerKinds = ['organization', 'user', 'self', 'installation'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

/** The owner and the name of a repository: `acme/tool`; on GitLab with subgroups `acme/php/tool`. */
export type RepositoryPath = Branded<string, 'RepositoryPath'>;

const longest = 500;
const segment = /^[A-Za-z0-9._-]{1,255}$/;

function segmentsOf(text: string): readonly string[] | undefined {
  const segments = text.length > longest ? [] : text.split('/');
  const isEach = segments.every((one) => segment.test(one) && one !== '.' && one !== '..');
  return segments.length > 0 && isEach ? segments : undefined;
}

/** undefined: no name of an owner on this forge. */
export function parseOwner(forge: ForgeName, text: string): OwnerName | undefined {
  const count = segmentsOf(text)?.length ?? 0;
  return count === 1 || (count > 1 && forge === 'gitlab') ? (text as OwnerName) : undefined;
}

/** undefined: not the path of a repository that belongs to `owner`. Case does not matter. */
export function parseRepositoryPath(text: unknown, owner: OwnerName): RepositoryPath | undefined {
  if (typeof text !== 'string' || segmentsOf(text) === undefined) return undefined;
  return text.toLowerCase().startsWith(`${owner.toLowerCase()}/`) ? (text as RepositoryPath) : undefined;
}

/** The name without its owner: what the patterns of a connection match. */
export function nameBelow(owner: OwnerName, path: RepositoryPath): string {
  return path.slice(owner.length + 1);
}
