// What `libretto why` says of a mirrored package.

import { firstOf, formatTable } from '../io/output.ts';
import type { MirroredName } from './mirrored-name.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { UnofferedVersions } from './unoffered-versions.ts';

const mostShown = 20;

/** Lines about a mirrored package. `version`: as typed; undefined: all. */
export function describeMirrored(name: string, version: string | undefined, mirrored: MirroredName): readonly string[] {
  const { repositories, found_in: foundIn, asked_at: askedAt, not_standing_in_for: dropped } = mirrored;
  return [
    `${name} is not published here, and is mirrored.`,
    `It is requested from ${repositories.length === 1 ? '' : 'the first of these that has it: '}${repositories.join(', ')}`,
    foundIn === null
      ? 'No stored document has this package: it was not requested yet, or no repository has it.'
      : `It comes from ${foundIn}, last requested ${askedAt ?? ''}.`,
    ...mirrored.lists.map(
      (list) =>
        `packages.json of ${list.repository} was last requested ${list.asked_at ?? '(never)'}.` +
        (list.may_have === false ? ' Its list of names lacks this package.' : ''),
    ),
    ...(mirrored.versions.length === 0 || mirrored.versions.some((one) => isVersion(one, version))
      ? []
      : [`No stored document has the version ${version ?? ''}.`]),
    ...(foundIn === null ? [`\`libretto mirror refresh ${name}\` requests it now.`] : []),
    ...(dropped.length === 0
      ? []
      : [
          `It claims to provide or replace ${firstOf(dropped, mostShown).join(', ')}. These names are private or ` +
            'belong to other repositories, so clients do not get the claims.',
        ]),
    ...describeUnoffered(mirrored.held_back, version),
    ...firstOf(
      mirrored.refused
        .filter((refused) => isVersion(versionOf(refused), version))
        .map((refused) => `Archive refused, ${refused}`),
      mostShown,
    ),
    ...describeArchives(version, mirrored),
    ...mirrored.unreadable.map((message) => `${message}.`),
  ];
}

function describeArchives(
  version: string | undefined,
  { archives, unreadable }: Pick<MirroredName, 'archives' | 'unreadable'>,
): readonly string[] {
  const shown = archives.filter((archive) => isVersion(archive.version, version));
  if (shown.length === 0) return unreadable.length === 0 ? ['No archive of it was fetched yet.'] : [];
  const lines = formatTable(
    ['VERSION', 'FETCHED', 'SHA-1', 'FROM'],
    shown.map((one) => [one.version, one.fetched_at, one.shasum, one.from]),
  );
  return ['', ...firstOf(lines, mostShown + 1)];
}

/** Describes one version, or all of them: the versions of each reason together, each with its case. */
function describeUnoffered(
  { left_out: leftOut, changed }: UnofferedVersions,
  wanted: string | undefined,
): readonly string[] {
  const isMeant = ({ version }: { readonly version: string }): boolean => isVersion(version, wanted);
  const groups = new Map<string, UnofferedVersion[]>();
  for (const one of leftOut.filter(isMeant)) {
    const key = one.setting ?? one.reason;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const alarms = changed.filter(isMeant).map(({ version, message }) => `ALARM, ${version}: ${message}.`);
  return [...[...groups.values()].flatMap(describeGroup), ...firstOf(alarms, mostShown)];
}

/** True if the mirror has a document or an archive of the package. */
export function isStored({ found_in: foundIn, versions, archives }: MirroredName): boolean {
  return foundIn !== null || versions.length + archives.length > 0;
}

/** True if clients can install the version: it is not left out, and its archive was not refused. */
export function isOffered({ versions, archives, held_back: held, refused }: MirroredName, version: string): boolean {
  const isMeant = (one: string): boolean => isVersion(one, version);
  const leftOut = held.left_out.filter((one) => isMeant(one.version)).length;
  if (archives.some((archive) => isMeant(archive.version))) return leftOut === 0;
  // a record that is left out may have the label of another one
  return versions.filter(isMeant).length > leftOut && !refused.some((one) => isMeant(versionOf(one)));
}

/** Of a line of `refused`. */
const versionOf = (refused: string): string => refused.slice(0, refused.indexOf(': '));

/** True for the wanted version in any spelling. */
function isVersion(version: string, wanted: string | undefined): boolean {
  if (wanted === undefined || version === wanted) return true;
  return (normalizeVersion(version) ?? version) === normalizeVersion(wanted);
}

type UnofferedVersion = UnofferedVersions['left_out'][number];

const causes: Readonly<Record<UnofferedVersion['reason'], readonly [one: string, many: string]>> = {
  rule: ['', ''],
  unloadable: ['since its record is invalid', 'since their records are invalid'],
  'dist-type': ['since its archive is no ZIP', 'since their archives are no ZIPs'],
  'no-dist': ['since it has no archive', 'since they have no archives'],
  document: ['since it is in the other document', 'since they are in the other document'],
  label: ['since another version has its label', 'since other versions have their labels'],
};

function describeGroup(group: readonly UnofferedVersion[]): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const cause = first.setting === null ? causes[first.reason][group.length === 1 ? 0 : 1] : `by ${first.setting}`;
  const cases = group.map(({ version, because }) => `${version}: ${because}.`);
  if (group.length === 1) return [`One version is left out ${cause}, ${cases[0] ?? ''}`];
  const lines = cases.map((line) => `  ${line}`);
  return [`${group.length} versions are left out ${cause}:`, ...firstOf(lines, mostShown)];
}
