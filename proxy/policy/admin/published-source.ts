// The packages that are published here, with every archive that can still be fetched: lock files may name versions that
// were withdrawn.

import { andThen } from '../../../build/shared/concurrency/maybe-async.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { indexPath, providerPath } from '../../../build/contract/paths.ts';
import { parsePackageIndex, type IndexEntry } from '../../../build/contract/serving-index.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import { readPublishedNames } from '../../packages/catalogue.ts';
import { recordsOf } from '../../core/tree/document-releases.ts';
import { parseRows, type PublishedFiles } from '../../core/tree/published-files.ts';
import { releaseOf } from '../../core/views/view.ts';
import { publishedGains } from '../apply/published-gains.ts';
import { factsOfArchive, recordFacts } from '../apply/record-facts.ts';
import type { CandidatePackage, PackageSource } from './package-source.ts';

/** `read` rejects with UnusableFile for a damaged package. */
export function publishedSource(files: PublishedFiles): PackageSource {
  return {
    origin: 'private',
    names: () => readPublishedNames(files),
    epoch: files.epoch,
    stamp: (name) =>
      andThen(
        files.stamps([
          `index/${indexPath(name)}`,
          ...kinds.map((kind) => `public/${providerPath(name, kind)}` as const),
        ]),
        (stamps) => stamps.join(),
      ),
    read: (name) => readPackage(files, name),
  };
}

const kinds = ['stable', 'dev'] as const;

async function readPackage(files: PublishedFiles, name: PackageName): Promise<CandidatePackage | undefined> {
  const { index, dev, stable } = await files.readPackage(name);
  if ('fault' in index) throw index.fault;
  const entries = parseRows(index.bytes, `index/${indexPath(name)}`, (text) => parsePackageIndex(text).versions);
  if (entries.length === 0) return undefined;
  const releases = recordsIn(stable, name, 'stable');
  const facts = recordFacts([recordsIn(dev, name, 'dev'), releases]);
  return {
    name,
    gains: (more) => publishedGains(more === undefined ? releases : [...releases, more], entries),
    origin: 'private',
    beside: {},
    versions: newestOfEach(entries).map((entry) => ({
      facts: factsOfArchive(facts, entry),
      release: releaseOf(entry),
      isOffered: entry.state === 'published',
      stored: true,
    })),
  };
}

function recordsIn(
  document: Awaited<ReturnType<PublishedFiles['readPackage']>>['dev'],
  name: PackageName,
  stability: 'stable' | 'dev',
): readonly JsonObject[] {
  if ('fault' in document) throw document.fault;
  return parseRows(document.bytes, `public/${providerPath(name, stability)}`, (text) => recordsOf(text, name));
}

/** One archive for each version: the published one, or the newest. The index has them in this order. */
function newestOfEach(entries: readonly IndexEntry[]): readonly IndexEntry[] {
  const known = new Map<string, IndexEntry>();
  for (const entry of entries) if (!known.has(entry.version)) known.set(entry.version, entry);
  return [...known.values()];
}
