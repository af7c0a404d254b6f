// Two folders that claim to be the same version of the same package: neither can be believed.

import type { Quarantine } from '../../contract/quarantine.ts';
import type { Release } from '../release.ts';

/** Pure. Each release of such a group is left out, and its reason names the others. */
export function setDuplicatesAside(releases: readonly Release[]): {
  readonly releases: readonly Release[];
  readonly quarantined: readonly Quarantine[];
} {
  const groups = new Map<string, Release[]>();
  for (const release of releases) {
    const key = `${release.name} ${release.normalized}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [release]);
    else group.push(release);
  }
  const all = [...groups.values()];
  return {
    releases: all.filter((group) => group.length === 1).flat(),
    quarantined: all
      .filter((group) => group.length > 1)
      .flatMap((group) => group.map((release) => duplicateOf(release, group))),
  };
}

function duplicateOf(release: Release, group: readonly Release[]): Quarantine {
  const places = group.map(({ where, version }) => `${where} (${version})`).join(' and ');
  return {
    code: 'DUPLICATE_VERSION',
    message:
      `${release.name} ${release.version} occurs more than once: ${places}. Keep one of them, or change the ` +
      'version of the others.',
    where: release.where,
    name: release.name,
    version: release.version,
  };
}
