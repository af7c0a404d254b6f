// What `libretto why` says of a mirrored package.

import { firstOf, formatTable } from '../io/output.ts';
import type { MirroredName } from './mirrored-name.ts';
import { describeUnoffered, isVersion } from './unoffered-versions-text.ts';

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
        .filter((refused) => version === undefined || refused.startsWith(`${version}: `))
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
  const shown = archives.filter((archive) => version === undefined || archive.version === version);
  if (shown.length === 0) return unreadable.length === 0 ? ['No archive of it was fetched yet.'] : [];
  const lines = formatTable(
    ['VERSION', 'FETCHED', 'SHA-1', 'FROM'],
    shown.map((one) => [one.version, one.fetched_at, one.shasum, one.from]),
  );
  return ['', ...firstOf(lines, mostShown + 1)];
}
