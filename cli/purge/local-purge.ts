// Purging on this host: the builder takes the version out of the tree, then the mirror's copies of it go.

import {
  parsePurgeReason,
  purgeReasons,
  type PurgeReason,
  mergePurged,
  type PurgedVersion,
} from '../../build/contract/purged.ts';
import { purgeVersion } from '../../build/purge/purge-version.ts';
import { listPurged } from '../../build/package/purged.ts';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import { type JsonObject, isJsonObject } from '../../build/contract/json.ts';
import { removePurged } from '../../proxy/mirror/archives/remove-purged.ts';
import type { PurgeRequest } from '../../proxy/packages/version-purger.ts';
import { artifactBuild } from '../builds/artifact-build.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { mirrorFolder } from '../mirror/compose-mirror.ts';
import { parsePackageArgument } from './package-command.ts';
import { UsageError } from '../io/usage-error.ts';
import { join } from 'node:path';
import { digestArchive } from '../../build/archive/archive-content.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';
import { isTarget, type PurgeTarget } from '../../build/purge/find-purge.ts';
import { archivePath } from '../../proxy/mirror/archives/accepted-package.ts';
import type { ArchiveRecord } from '../../proxy/mirror/archives/archive-record.ts';
import { AcceptedArchiveStore } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { cachedRecords } from '../../proxy/mirror/documents/cached-versions.ts';
import { upstreamsHere } from '../mirror/current-mirror-rules.ts';
import type { VersionBuild } from '../../build/artifacts/artifact-tree.ts';

// Makes tombstones for versions that only the mirror has, from accepted archives and stored documents. No request is
// sent.

interface MirroredTarget extends PurgeTarget {
  readonly name: PackageName;
  readonly reason: PurgeReason;
}

async function mirroredTombstones(
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
  const { upstreams } = await upstreamsHere(config, context);
  const cached = await Promise.all(upstreams.map(({ url }) => cachedRecords(name, mirrorFolder(config), url)));
  return cached.flatMap(({ records }) => records);
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

/** The builder's outcome, as a child prints it. Throws BuildBusy, BuildRefused and StorageError. */
export async function purgeLocally(
  order: PurgeRequest,
  dryRun: boolean,
  config: Config,
  context: Context,
): Promise<JsonObject> {
  const name = parsePackageArgument(order.name);
  const mirrored = await mirroredTombstones({ ...order, name }, config, context);
  const outcome = await purgeVersion({ ...order, name, dryRun, mirrored }, purgeBuild(config, context));
  if (!dryRun && outcome.outcome !== 'refused')
    await removePurged(mirrorFolder(config), await listPurged(createDiskOutput(config.data.value)));
  return { ...outcome } as unknown as JsonObject;
}

export function purgeBuild(config: Config, context: Context): VersionBuild {
  const { request, ...build } = artifactBuild(config, context);
  return { ...build, request: { ...request, by: { actor: context.actor, command: 'package purge' } } };
}

/** Throws UsageError for an unknown reason. */
export function purgeReasonFlag(text: unknown): PurgeReason {
  const reason = typeof text === 'string' ? parsePurgeReason(text) : undefined;
  if (reason === undefined)
    throw new UsageError(
      `--reason is ${JSON.stringify(text)}; allowed: ${purgeReasons.join(', ')}. Clients see it. Explain more with ` +
        '--note, which only admins see.',
    );
  return reason;
}

/** Throws UsageError for an invalid reference, or one with too few characters. */
export function contentReferenceFlag(text: unknown): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^[0-9a-f]{7,64}$/i.test(text))
    throw new UsageError(
      `--reference is ${JSON.stringify(text)}; allowed: 7 to 64 hex characters of a commit or a digest. ` +
        '`libretto why PACKAGE VERSION` shows them.',
    );
  return text.toLowerCase();
}
