// The text about versions that the mirror does not offer. Pure.

import { normalizeVersion } from '../../build/contract/version.ts';
import type { UnofferedVersions } from './unoffered-versions.ts';

/** Describes one version, or all of them together: one line for each reason. */
export function describeUnoffered(
  { left_out: leftOut, changed }: UnofferedVersions,
  wanted: string | undefined,
): readonly string[] {
  const isMeant = ({ version }: { readonly version: string }): boolean =>
    wanted === undefined || version === wanted || (normalizeVersion(version) ?? version) === normalizeVersion(wanted);
  const meant = leftOut.filter(isMeant);
  return [
    ...[...new Set(meant.map(({ setting }) => setting))].map((setting) =>
      describeGroup(
        meant.filter((one) => one.setting === setting),
        setting,
      ),
    ),
    ...changed.filter(isMeant).map(({ version, message }) => `ALARM, ${version}: ${message}.`),
  ];
}

function describeGroup(
  group: UnofferedVersions['left_out'],
  setting: UnofferedVersions['left_out'][number]['setting'],
): string {
  const [first] = group;
  const example = `${first?.version ?? ''}: ${first?.because ?? ''}.`;
  const cause =
    setting === null ? `since Composer could not load ${group.length === 1 ? 'it' : 'them'}` : `by ${setting}`;
  return group.length === 1
    ? `One version is left out ${cause}, ${example}`
    : `${group.length} versions are left out ${cause}, such as ${example}`;
}
