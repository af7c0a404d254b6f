// Finds releases of all packages that their upstream has changed since they were accepted. The stored documents are
// compared; no request is sent.

import type { PackageName } from '../../build/contract/name.ts';
import { mirroredNames } from '../../proxy/mirror/archives/mirror-inventory.ts';
import type { Context } from '../io/context.ts';
import { unofferedVersions } from './unoffered-versions.ts';
import { noVersions } from '../../proxy/mirror/documents/cached-versions.ts';
import { cachedRecords } from './cached-records.ts';
import type { MirrorWork } from './mirror-command.ts';

export interface ChangedRelease {
  readonly name: PackageName;
  readonly version: string;
  readonly message: string;
}

/** Rejects if the private names are unknown, as `belongs` of the mirror does. */
export async function changedReleases(
  { mirror, folder, rules: readRules }: MirrorWork,
  context: Context,
): Promise<readonly ChangedRelease[]> {
  const rules = await readRules();
  const nowMs = context.now().getTime();
  const found: ChangedRelease[] = [];
  for await (const name of mirroredNames(folder)) {
    const belonging = await mirror.belongs(name, { nowMs, epoch: 0 });
    if (belonging.to !== 'upstreams') continue;
    const { records: accepted } = await mirror.archiveStore.inspect(name);
    for (const id of belonging.ids) {
      const url = rules.upstreams.find((upstream) => upstream.id === id)?.url;
      const cached = url === undefined ? noVersions : await cachedRecords(name, folder, url);
      if (cached.records.length === 0) continue;
      found.push(
        ...(await unofferedVersions(name, { cached, accepted, rules: rules.releases, nowMs })).changed.map((one) => ({
          name,
          ...one,
        })),
      );
      break;
    }
  }
  return found;
}
