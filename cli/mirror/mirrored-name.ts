// What the mirror knows of a name: whose it is and why, which repositories may be asked for it, and what is kept of it.
// Asks nobody.

import { join } from 'node:path';

import type { PackageName } from '../../build/contract/name.ts';
import { providerPath } from '../../build/contract/paths.ts';
import { AcceptedArchiveStore } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { readDocumentFile } from '../../proxy/mirror/upstream/document-file.ts';
import { createPrecedence, type PrivateNames } from '../../proxy/tree/precedence.ts';
import { rootUrlOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import { folderOf } from '../../proxy/mirror/upstream/upstream.ts';
import { createMemoryStore } from '../../proxy/state/memory-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { mirrorFolder } from './compose-mirror.ts';
import { droppedReplacements } from './dropped-replacements.ts';
import { unofferedVersions, type UnofferedVersions } from './unoffered-versions.ts';
import { cachedInIndex } from './cached-in-index.ts';
import { cachedRecords } from './cached-records.ts';
import { openPrivateNames } from './known-private-names.ts';
import { currentMirrorRules } from './current-mirror-rules.ts';

export interface MirroredName {
  readonly belongs_to: 'private' | 'upstreams' | 'nobody';
  /** why it is not mirrored; null where it is */
  readonly because: string | null;
  /** addresses of those that may be asked for it, in their order: it comes from the first that has it */
  readonly repositories: readonly string[];
  /** the one that it came from, as far as its documents are kept */
  readonly found_in: string | null;
  /** RFC 3339 UTC: when that was last asked */
  readonly asked_at: string | null;
  /**
   * names that it says it stands for, by `replace` or `provide`, and that are left out of this here: private ones, and
   * such as only other repositories are asked for
   */
  readonly not_standing_in_for: readonly string[];
  readonly archives: readonly {
    readonly version: string;
    readonly reference: string | null;
    readonly shasum: string;
    readonly size: number;
    readonly from: string;
    readonly fetched_at: string;
  }[];
  /**
   * versions that are not offered, and such of which the upstream says something else than what was accepted; as far as
   * documents are kept
   */
  readonly held_back: UnofferedVersions;
  /** records that cannot be read, in words */
  readonly unreadable: readonly string[];
}

/**
 * null where nothing is mirrored. Rejects with StateError, and with RegistryError where an origin does not say which
 * names are private.
 */
export async function mirroredName(name: PackageName, config: Config, context: Context): Promise<MirroredName | null> {
  const state = (await openStateIfAny(config)) ?? createMemoryStore();
  try {
    const rules = await currentMirrorRules(config, context, state);
    if (rules.upstreams.length === 0) return null;
    const [precedence, privateNames] = [createPrecedence(rules), await namesOf(config)];
    const belonging = precedence(name, privateNames);
    const ids = belonging.to === 'upstreams' ? belonging.ids : [];
    const repositories = ids.flatMap((id) => rules.upstreams.find((upstream) => upstream.id === id)?.url ?? []);
    const kept = await keptDocument(name, repositories, mirrorFolder(config));
    const { records, unreadable } = await new AcceptedArchiveStore(mirrorFolder(config), 0).inspect(name);
    const from = rules.upstreams.find(({ id, url }) => ids.includes(id) && (kept === undefined || url === kept.url));
    const said = from === undefined ? [] : await cachedRecords(name, mirrorFolder(config), from.url);
    const dropped =
      from === undefined
        ? []
        : await droppedReplacements({
            upstreamId: from.id,
            records: [...records.map(({ record }) => record), ...said],
            belongs: (claimed) => precedence(claimed, privateNames),
          });
    return {
      belongs_to: belonging.to,
      because: belonging.to === 'upstreams' ? null : belonging.because,
      repositories,
      found_in: kept?.url ?? null,
      asked_at: kept === undefined ? null : new Date(kept.askedAtMs).toISOString(),
      not_standing_in_for: dropped,
      archives: records.map(({ version, reference, shasum, size, from, fetchedAt }) => ({
        version,
        reference: reference === '' ? null : reference,
        shasum,
        size,
        from,
        fetched_at: fetchedAt,
      })),
      held_back: await unofferedVersions(name, {
        records: said,
        accepted: records,
        rules: rules.releases,
        nowMs: context.now().getTime(),
      }),
      unreadable: unreadable.map(({ message }) => message),
    };
  } finally {
    await state.close();
  }
}

async function namesOf(config: Config): Promise<PrivateNames> {
  const { read, close } = await openPrivateNames(config);
  try {
    return await read();
  } finally {
    close();
  }
}

async function keptDocument(
  name: PackageName,
  repositories: readonly string[],
  folder: string,
): Promise<{ readonly url: string; readonly askedAtMs: number } | undefined> {
  for (const url of repositories) {
    for (const stability of ['stable', 'dev'] as const) {
      const file = await readDocumentFile(join(folder, 'p2', folderOf(rootUrlOf(url)), providerPath(name, stability)));
      if (file?.body !== undefined) return { url, askedAtMs: file.checkedAtMs };
    }
    const inIndex = await cachedInIndex(name, url, folder);
    if (inIndex !== undefined) return { url, askedAtMs: inIndex };
  }
  return undefined;
}
