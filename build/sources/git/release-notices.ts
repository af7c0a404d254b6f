// The notice about a package whose repository has no tag of a version. Composer does not install such a package by
// default: the notice says how to install it, and how to release it. Pure.

import type { Release } from '../release.ts';
import type { GitSelection } from './selection.ts';

const mostNamed = 3;

export interface Found {
  readonly releases: readonly Pick<Release, 'name' | 'version' | 'dev' | 'defaultBranch'>[];
  /** a tag among these may be a release */
  readonly quarantined: readonly unknown[];
}

/** The notice for a repository whose tags are all published; empty if every package has a release. */
export function unreleasedNotices({ releases, quarantined }: Found, { refs }: Pick<GitSelection, 'refs'>): string[] {
  if (refs !== undefined || quarantined.length > 0) return [];
  const released = new Set(releases.filter(({ dev }) => !dev).map(({ name }) => name));
  const waiting = releases.filter(({ name }) => !released.has(name));
  const example = waiting.find(({ defaultBranch }) => defaultBranch) ?? waiting[0];
  if (example === undefined) return [];
  const names = [...new Set(waiting.map(({ name }) => name))];
  const more = names.length - mostNamed;
  const shown = `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [
    `${shown} ${names.length === 1 ? 'has' : 'have'} no release, because no tag names a version. Composer installs ` +
      `${names.length === 1 ? 'it' : 'such a package'} as ${example.name}:${example.version}. For a release, tag a ` +
      'commit: git tag 1.0.0',
  ];
}
