// The text about versions that the mirror does not offer. Pure.

import { normalizeVersion } from '../../build/contract/version.ts';
import { firstOf } from '../io/output.ts';
import type { UnofferedVersions } from './unoffered-versions.ts';

const mostShown = 20;

/** Describes one version, or all of them: the versions of each reason together, each with its case. */
export function describeUnoffered(
  { left_out: leftOut, changed }: UnofferedVersions,
  wanted: string | undefined,
): readonly string[] {
  const isMeant = ({ version }: { readonly version: string }): boolean => isVersion(version, wanted);
  const groups = new Map<string, LeftOut[]>();
  for (const one of leftOut.filter(isMeant)) {
    const key = one.setting ?? one.reason;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const alarms = changed.filter(isMeant).map(({ version, message }) => `ALARM, ${version}: ${message}.`);
  return [...[...groups.values()].flatMap(describeGroup), ...firstOf(alarms, mostShown)];
}

/** True for the wanted version in any spelling. */
export function isVersion(version: string, wanted: string | undefined): boolean {
  if (wanted === undefined || version === wanted) return true;
  return (normalizeVersion(version) ?? version) === normalizeVersion(wanted);
}

type LeftOut = UnofferedVersions['left_out'][number];

const causes: Readonly<Record<LeftOut['reason'], readonly [one: string, many: string]>> = {
  rule: ['', ''],
  unloadable: ['since its record is invalid', 'since their records are invalid'],
  'dist-type': ['since its archive is no ZIP', 'since their archives are no ZIPs'],
  'no-dist': ['since it has no archive', 'since they have no archives'],
  document: ['since it is in the other document', 'since they are in the other document'],
  label: ['since another version has its label', 'since other versions have their labels'],
};

function describeGroup(group: readonly LeftOut[]): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const cause = first.setting === null ? causes[first.reason][group.length === 1 ? 0 : 1] : `by ${first.setting}`;
  const cases = group.map(({ version, because }) => `${version}: ${because}.`);
  if (group.length === 1) return [`One version is left out ${cause}, ${cases[0] ?? ''}`];
  const lines = cases.map((line) => `  ${line}`);
  return [`${group.length} versions are left out ${cause}:`, ...firstOf(lines, mostShown)];
}
