// What is stored of one mirrored package: the registries that it comes from, and its accepted archives. Sends no
// request.

import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { compareNormalized } from '../../build/contract/ordering.ts';
import type { NormalizedVersion } from '../../build/contract/version.ts';
import type { PublishedVersion } from '../packages/published-package.ts';
import { entryOf } from './archives/accepted-package.ts';
import { storedOffers } from './archives/offered-records.ts';
import { normalized } from './rules/release-rules.ts';
import type { Mirror } from './mirror.ts';

export interface MirroredPackage {
  /** addresses of the registries that are asked for it, in their order */
  readonly registries: readonly string[];
  /** the versions whose archives are stored here, newest first */
  readonly kept: readonly PublishedVersion[];
  /** the versions of the stored documents, newest first, also those that rules refuse */
  readonly listed: readonly JsonObject[];
  /** the number of records that cannot be read */
  readonly unreadable: number;
}

export async function readMirroredPackage(
  mirror: Pick<Mirror, 'settings' | 'archiveStore'>,
  name: PackageName,
): Promise<MirroredPackage> {
  const [{ compiled, belongs }, { records, unreadable }] = await Promise.all([
    mirror.settings(),
    mirror.archiveStore.inspect(name),
  ]);
  const belonging = belongs(name);
  const ids = belonging.to === 'upstreams' ? belonging.ids : [];
  const { own, stable } = await storedOffers(name, 'dev', ids, compiled);
  const listed = [stable, own].flatMap((offer) => offer?.document.versions ?? []).map(normalized);
  return {
    registries: compiled.rules.upstreams.filter(({ id }) => ids.includes(id)).map(({ url }) => url),
    listed: listed.toSorted((a, b) => compareNormalized(numberOf(b), numberOf(a))),
    kept: records
      .toSorted((a, b) => compareNormalized(b.normalized, a.normalized))
      .map((one) => ({ entry: entryOf(one), record: one.record })),
    unreadable: unreadable.length,
  };
}

const numberOf = ({ version_normalized: version }: JsonObject) => version as NormalizedVersion;
