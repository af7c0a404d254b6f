// A tree that was built elsewhere as a source: its releases are its published versions, with their bytes. An incomplete
// tree ends the build before the publication, since missing versions would count as withdrawn.

import { join } from 'node:path';
import { digestOf } from '../../shared/text/digest-of.ts';
import { QuarantineError, type Quarantine } from '../../contract/quarantine.ts';
import type { Release, Scan, Source, SourceMemory } from '../release.ts';
import { receivedRelease, sourceUrlOf } from './received-release.ts';
import { openReceivedTree, type ReceivedTree } from './received-tree.ts';

/** Raise it whenever the same tree could now be read as something else. */
const recipe = 1;

/** `folder` is absolute. Scanning throws BuildRefused for a tree that is not complete. */
export function createReceivedSource(folder: string): Source {
  return { scan: async (previous) => scan(await openReceivedTree(folder), previous), close: () => Promise.resolve() };
}

async function scan(tree: ReceivedTree, previous: SourceMemory | undefined): Promise<Scan> {
  const releases: Release[] = [];
  const quarantined: Quarantine[] = [...tree.quarantined];
  const notices: string[] = [];
  for (const name of tree.names) {
    for (const version of await tree.versionsOf(name)) {
      try {
        releases.push(receivedRelease(tree.root, name, version));
        if (version.record.source !== undefined && sourceUrlOf(version.record) === undefined)
          notices.push(`The address in "source" of ${name} ${version.entry.version} is none of git: it was left out.`);
      } catch (error) {
        if (!(error instanceof QuarantineError)) throw error;
        quarantined.push({
          code: error.code,
          message: error.message,
          where: join(tree.root, 'public', version.entry.path),
          name,
          version: version.entry.version,
        });
      }
    }
  }
  const rows = releases.map(({ name, version, reference, time, recordDigest }) => [
    name,
    version,
    reference,
    time ?? null,
    recordDigest ?? null,
  ]);
  const fingerprint = digestOf(
    JSON.stringify([
      recipe,
      rows,
      quarantined.map(({ code, name, version, message }) => [code, name, version, message]),
    ]),
  );
  if (fingerprint === previous?.fingerprint) return { outcome: 'unchanged' };
  return { outcome: 'read', releases, quarantined, notices, memory: { fingerprint, detail: null } };
}
