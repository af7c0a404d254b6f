// Makes tombstones for versions that only the mirror has, from accepted archives and stored documents. No request is
// sent.

import { join } from 'node:path';

import { digestArchive } from '../../build/archive/archive-content.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { mergePurged, type PurgedVersion, type PurgeReason } from '../../build/contract/purged.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';
import { isTarget, type PurgeTarget } from '../../build/purge/find-purge.ts';
import { archivePath } from '../../proxy/mirror/archives/accepted-package.ts';
import type { ArchiveRecord } from '../../proxy/mirror/archives/archive-record.ts';
import { AcceptedArchiveStore } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import { cachedRecords } from '../../proxy/mirror/documents/cached-versions.ts';
import { mirrorFolder } from './compose-mirror.ts';
import { currentUpstreams } from './current-mirror-rules.ts';

export interface MirroredTarget extends PurgeTarget {
  readonly name: PackageName;
  readonly reason: PurgeReason;
}

export async function mirroredTombstones(
  target: MirroredTarget,
  config: Config,
  context: Context,
): Promise<readonly PurgedVersion[]> {
  const folder = mirrorFolder(config);
  const since = context.now().toISOString();
  const { records } = await new AcceptedArchiveStore(folder, 0).inspect(target.name);
  const accepted = records.map((record) => ofRecord(record, folder, target.reason, since));
  const offered = (await storedRecords(target.name, config, context)).flatMap((record) =>
    ofOffer(record, target, since),
  );
  return mergePurged(accepted, offered).filter((row) => isTarget(target, row));
}

async function storedRecords(name: PackageName, config: Config, context: Context): Promise<readonly JsonObject[]> {
  const state = (await openStateIfAny(config)) ?? createMemoryStore();
  try {
    const { upstreams } = await currentUpstreams(config, context, state);
    const cached = await Promise.all(upstreams.map(({ url }) => cachedRecords(name, mirrorFolder(config), url)));
    return cached.flatMap(({ records }) => records);
  } finally {
    await state.close();
  }
}

function ofRecord(
  { name, version, normalized, reference, shasum, record }: ArchiveRecord,
  folder: string,
  reason: PurgeReason,
  since: string,
): PurgedVersion {
  const digests = digestsOf(join(folder, archivePath(name, shasum)));
  return {
    name,
    version,
    version_normalized: normalized,
    reference,
    sha1: shasum,
    sha256: digests?.sha256 ?? null,
    content: digests?.content ?? null,
    released: timeOf(record),
    source: null,
    reason,
    since,
  };
}

function ofOffer(record: JsonObject, { name, reason }: MirroredTarget, since: string): readonly PurgedVersion[] {
  const { version, dist } = record;
  const normalized = typeof version === 'string' ? normalizeVersion(version) : undefined;
  if (typeof version !== 'string' || normalized === undefined) return [];
  const { reference, shasum } = isJsonObject(dist) ? dist : {};
  const sha1 = typeof shasum === 'string' && shasum !== '' ? shasum : null;
  return [
    {
      name,
      version,
      version_normalized: normalized as NormalizedVersion,
      reference: typeof reference === 'string' ? reference : '',
      sha1,
      sha256: null,
      content: null,
      released: timeOf(record),
      source: null,
      reason,
      since,
    },
  ];
}

function timeOf({ time }: JsonObject): string | null {
  return typeof time === 'string' ? time : null;
}

/** undefined for an archive that is missing or damaged. */
function digestsOf(path: string): ReturnType<typeof digestArchive> | undefined {
  try {
    return digestArchive(path);
  } catch {
    return undefined;
  }
}
