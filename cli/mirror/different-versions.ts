// Finds versions of all stored packages that are not offered as their upstream has them: releases that it has changed
// since they were accepted, and versions that are left out. The stored documents are compared; no request is sent.

import { join } from 'node:path';
import type { PackageName } from '../../build/contract/name.ts';
import { mirroredNames } from '../../proxy/mirror/archives/mirror-inventory.ts';
import { CachedNames, documentFiles } from '../../proxy/mirror/catalogue/cached-names.ts';
import { cachedRecords, noVersions } from '../../proxy/mirror/documents/cached-versions.ts';
import type { MirrorRules } from '../../proxy/mirror/rules/mirror-rules.ts';
import { rootUrlOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../proxy/mirror/upstream/upstream.ts';
import type { Context } from '../io/context.ts';
import type { MirrorWork } from './mirror-command.ts';
import { unofferedVersions, type UnofferedVersions } from './unoffered-versions.ts';

export type DifferentVersions = UnofferedVersions & { readonly name: PackageName };

/** By package. Rejects if the private names are unknown, as `belongs` of the mirror does. */
export async function differentVersions(
  { mirror, folder, rules: readRules }: MirrorWork,
  context: Context,
): Promise<readonly DifferentVersions[]> {
  const rules = await readRules();
  const nowMs = context.now().getTime();
  const found: DifferentVersions[] = [];
  for (const name of await storedNames(folder, rules)) {
    const belonging = await mirror.belongs(name, { nowMs, epoch: 0 });
    if (belonging.to !== 'upstreams') continue;
    const { records: accepted } = await mirror.archiveStore.inspect(name);
    for (const id of belonging.ids) {
      const url = rules.upstreams.find((upstream) => upstream.id === id)?.url;
      const cached = url === undefined ? noVersions : await cachedRecords(name, folder, url);
      if (cached.records.length === 0) continue;
      found.push({ name, ...(await unofferedVersions(name, { cached, accepted, rules: rules.releases, nowMs })) });
      break;
    }
  }
  return found;
}

/** The packages with an accepted archive, or a stored document. */
async function storedNames(folder: string, { upstreams }: Pick<MirrorRules, 'upstreams'>): Promise<Set<PackageName>> {
  const names = new Set<PackageName>();
  for await (const name of mirroredNames(folder)) names.add(name);
  for (const { url } of upstreams) {
    const documents = new CachedNames(join(folder, 'p2', folderOf(rootUrlOf(url)), 'p2'), documentFiles);
    for (const name of (await documents.look()).keys()) names.add(name);
  }
  return names;
}
