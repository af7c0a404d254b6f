// What is remembered of each source that was read, pure: enough to skip it next time, and never enough to skip something that still has to be said
// or done.

import type { PackageName } from '../contract/name.ts';
import type { PackagesOutcome } from '../outcome.ts';
import type { ScannedSource } from '../scan.ts';
import type { QuarantineCode } from '../sources/quarantine.ts';
import { formatMemory } from './source-memory.ts';

/**
 * Depends on other sources, on how the build was called, or on a fault that can be mended without the source looking any different: a source with
 * such a version is always read again.
 */
const contested: ReadonlySet<QuarantineCode> = new Set(['DUPLICATE_VERSION', 'VERSION_CHANGED', 'BROKEN_OBJECT', 'UNREADABLE_FILE']);

/** Never equal to a digest of releases: the package is looked at in every build. */
const openQuestion = '';

/** Source id → bytes of its memory, for those whose memory changed. */
export function nextMemories(scanned: readonly ScannedSource[], packages: PackagesOutcome): ReadonlyMap<string, string> {
  const memories = new Map<string, string>();
  for (const source of scanned) {
    if (source.outcome !== 'read') continue;
    const { id } = source.chosen.spec;
    const mine = packages.quarantined.filter((found) => found.source === id).map(({ quarantine }) => quarantine);
    const isContested = mine.some(({ code }) => contested.has(code));
    const text = formatMemory({
      memory: isContested ? { ...source.memory, fingerprint: '' } : source.memory,
      packages: Object.fromEntries([...digestsOf(id, packages)].toSorted(([one], [other]) => (one < other ? -1 : 1))),
      quarantined: mine,
    });
    const before = source.remembered === undefined ? undefined : formatMemory(source.remembered);
    if (text !== before) memories.set(id, text);
  }
  return memories;
}

function digestsOf(id: string, packages: PackagesOutcome): ReadonlyMap<PackageName, string> {
  const digests = new Map(packages.digests.get(id));
  for (const { name, refused, published } of packages.results) {
    const open = refused.some(({ source }) => source === id) || (!digests.has(name) && published.some(({ source }) => source === id));
    if (open) digests.set(name, openQuestion);
  }
  return digests;
}
