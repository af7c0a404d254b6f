// The damage and losses that a build finds in announcement, manifest and packages.json. Each sentence tells people
// which part the build repaired, or which part it cannot prove.

import type { AnnouncedLists, GuardedList } from '../contract/announced-lists.ts';
import { publicationPath, rootDocumentPath } from '../contract/paths.ts';
import type { Publication } from '../contract/publication.ts';
import { purgedPath } from '../contract/purged.ts';
import { ListDamaged } from '../contract/refusals.ts';
import { withheldPath } from '../contract/withheld.ts';
import { recordsOnDisk } from '../history/read-history.ts';
import type { Output } from '../output/output.ts';
import { manifestPath, type Manifest } from './manifest.ts';

export interface SoundParts {
  /** the tree had been published whole */
  readonly wasWhole: boolean;
  readonly manifest: Manifest | undefined;
  readonly publication: Publication | undefined;
  /** packages.json, its time included */
  readonly root: boolean;
  readonly rootText: boolean;
  /** history has a later publication than announcement and manifest */
  readonly outdated: boolean;
}

/** One sentence or more for each damage. */
export function describeDamage(sound: SoundParts, unproven: readonly string[]): readonly string[] {
  return [...(sound.wasWhole ? lostParts(sound) : []), ...(unproven.length === 0 ? [] : [warnUnproven(unproven)])];
}

function lostParts(sound: SoundParts): readonly string[] {
  const lost = (what: string): string =>
    `${what} was missing or damaged. The build compared everything with the published tree and rebuilt it.`;
  return [
    ...(sound.manifest !== undefined ? [] : [lost(`build/${manifestPath}`)]),
    ...(sound.publication !== undefined ? [] : [lost(`index/${publicationPath}`)]),
    ...(sound.root || sound.publication === undefined
      ? []
      : [sound.rootText ? otherTime : lost(`public/${rootDocumentPath}`)]),
    ...(sound.outdated ? [olderThanHistory] : []),
  ];
}

/**
 * The missing lists of a published tree that no other record confirms: announcement and manifest, which name every row,
 * are both lost, and history names no row. A history that reaches back to the first publication, without any such
 * command, proves that the list never had a row. A list that is there has a checksum. Paths below index/.
 */
export async function unprovenLists(
  output: Output,
  announced: AnnouncedLists,
  wasWhole: boolean,
): Promise<readonly string[]> {
  const lists = [
    { path: purgedPath, rows: announced.purged, command: 'package purge' },
    { path: withheldPath, rows: announced.withheld, command: 'package withdraw' },
  ];
  const records = await recordsOnDisk(output);
  const isNeverUsed = (command: string): boolean =>
    records[0]?.previous === 0 && !records.some(({ by }) => by?.command === command);
  const there = await Promise.all(lists.map(async ({ path }) => (await output.facts('index', path)) !== undefined));
  const missing = lists
    .filter(({ rows, command }, at) => there[at] !== true && rows.length === 0 && !isNeverUsed(command))
    .map(({ path }) => path);
  const isPublished = wasWhole || (await output.list('index', '')).length > 0;
  return isPublished ? missing : [];
}

/** If packages.json is lost too, a recovery cannot skip packages: the build continues with a warning. */
function warnUnproven(unproven: readonly string[]): string {
  return (
    `WARNING: index/${publicationPath}, build/${manifestPath} and public/${rootDocumentPath} were missing or damaged, ` +
    `and ${unproven.map((path) => `index/${path}`).join(' and ')} ${unproven.length === 1 ? 'is' : 'are'} missing. So ` +
    'nothing proves that no version was purged or withdrawn by hand: the build may have published one again. Run ' +
    '`libretto package recover-purged`, which takes the purges on record. `libretto package withdraw` withdraws a ' +
    'version again. `libretto audit list` names purges and withdrawals.'
  );
}

/** Throws ListDamaged: a build would publish purged or withdrawn versions, and its announcement would hide the loss. */
export function refuseUnproven(unproven: readonly string[], recovers: GuardedList | undefined): void {
  const [first] = unproven;
  if (first === undefined || recovers === 'purged' || (recovers === 'withheld' && first !== purgedPath)) return;
  const files = unproven.map((path) => `index/${path}`).join(' and ');
  throw new ListDamaged(
    first,
    `index/${publicationPath} and build/${manifestPath} are both lost or damaged, and ` +
      `${files} ${unproven.length === 1 ? 'is' : 'are'} not there. Nothing proves that no version was purged or withdrawn by ` +
      'hand, and a build might publish one again. Restore these files from the newest backup, if there is one. Then ' +
      'run `libretto package recover-purged`: it takes later purges and withdrawals from history and from the state. ' +
      '`libretto package recover-purged FILE` takes the tombstones of an older copy too.',
  );
}

/**
 * Throws ListDamaged: a later publication may have purged or withdrawn versions, and the announcement does not name
 * them. `newerRecord`: its serial in history; undefined for none.
 */
export function refuseOutdated(newerRecord: number | undefined, recovers: GuardedList | undefined): void {
  if (newerRecord === undefined || recovers === 'purged') return;
  throw new ListDamaged(purgedPath, `${describeOutdated(newerRecord)} Nothing was published.`);
}

export function describeOutdated(newerRecord: number): string {
  return (
    `index/${publicationPath} and build/${manifestPath} are older than publication ${newerRecord} in history, as ` +
    'after the restore of an older copy. Later publications may have purged or withdrawn versions, and a build might ' +
    'publish these again. Restore newer copies of both files and of the lists, if there are any. Then run `libretto package ' +
    'recover-purged`: it takes later purges and withdrawals from history and from the state.'
  );
}

const olderThanHistory =
  `index/${publicationPath} and build/${manifestPath} were older than history, as after the restore of an older ` +
  'copy. The build compared everything with the published tree and rebuilt it.';

const otherTime =
  `Only the time of public/${rootDocumentPath} differs from its publication, as after a copy without times: ` +
  '`cp -a` keeps them. Everything was compared with what is published, ' +
  'and the file got a later time than any that clients may have seen.';
