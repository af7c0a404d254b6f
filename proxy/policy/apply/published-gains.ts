// What the releases of a package gained that is published here. The serving index has what withdrawn ones could do: so a
// withdrawal takes nothing away that a later release was compared with.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { providerPath } from '../../../build/contract/paths.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import { capabilityOf } from '../../../build/review/capabilities.ts';
import { recordsOf } from '../../core/tree/document-releases.ts';
import type { TreeFiles } from '../../core/tree/tree-files.ts';
import { gainsOf, type ArrivedRelease, type Gains } from '../judge/held-releases.ts';

/** Our own clock wrote all times. `records`: of releases, in full. `entries`: of the index, newest first. */
export function publishedGains(records: readonly JsonObject[], entries: readonly IndexEntry[]): Gains {
  const arrivedMs = (record: JsonObject): number => Date.parse(String(record['published-time'])) || 0;
  return gainsOf(records, arrivedMs, undefined, undefined, formerReleases(entries));
}

/** The newest archive of each withdrawn version. An older program did not note what it could do. */
function formerReleases(entries: readonly IndexEntry[]): readonly ArrivedRelease[] {
  const found = new Map<string, ArrivedRelease>();
  for (const {
    version,
    version_normalized: normalized,
    reference,
    state,
    since,
    first_published: first,
    facts,
  } of entries)
    if (state === 'withdrawn' && facts?.can !== undefined && !found.has(normalized))
      found.set(normalized, {
        version,
        normalized: normalized as NormalizedVersion,
        reference,
        capabilities: facts.can.flatMap((key) => capabilityOf(key) ?? []),
        arrivedMs: wholeSecond(first ?? since),
        leftMs: wholeSecond(since),
        changedMs: 0,
      });
  return [...found.values()];
}

/** As `published-time` of the releases that are there. */
function wholeSecond(time: string): number {
  return Math.floor(Date.parse(time) / 1000) * 1000;
}

/** Read from the document of releases, which a view may cut, and from the index. */
export async function readPublishedGains(
  files: Pick<TreeFiles, 'document' | 'archives'>,
  name: PackageName,
  epoch: number,
): Promise<Gains> {
  const document = await files.document(providerPath(name, 'stable'), epoch);
  const archives = await files.archives(name, epoch);
  const records = document === undefined ? [] : recordsOf(document.bytes.toString('utf8'), name);
  return publishedGains(records, archives?.entries ?? []);
}
