// Publishes, lists and withdraws uploaded artifacts, for the command line and the management API. The builder decides
// under its lock. The record and its audit event follow in one commit (I8), and only then is the upload acknowledged.
// If a crash prevented the record, the next upload of the same bytes writes it.

import { RegistryError } from '../../build/contract/errors.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import {
  artifactKey,
  artifactKeyPrefix,
  contentKey,
  isArtifactId,
  parseArtifactRecord,
  parseContentPointer,
  parseVersionPointer,
  stagedKey,
  versionKey,
  type ArtifactRecord,
} from './artifact.ts';
import { cleanUpArtifacts, type CleanupOrder } from './cleanup.ts';
import type { PublishedFrom } from './published-from.ts';
import type { ArtifactPublication, ContentOfVersion, Remarked, StagedUpload } from './publisher.ts';
import {
  newRecord,
  nowText,
  publishEvent,
  recordAt,
  type ArtifactsOptions,
  type Found,
  type Registered,
  type RecordHeader,
} from './artifact-rows.ts';
import { discardStaged, listStaged, registerStaged } from './staged-artifacts.ts';
import { asServed } from './publication-status.ts';

/** A staged artifact, as a caller names it. */
type StagedContent = Pick<ArtifactRecord, 'name' | 'version'> & { readonly id: string };

export type Artifacts = ReturnType<typeof createArtifacts>;

export function createArtifacts(options: ArtifactsOptions) {
  return {
    /** `created`: false if this very content was published already. Throws RegistryError. */
    publish: async (upload: StagedUpload): Promise<Registered & Remarked> => {
      const { notices, staged, ...publication } = await options.publisher.publish(upload);
      const registering = staged ? registerStaged : register;
      return { ...(await registering(options, publication, upload.from)), notices, staged };
    },
    /** Publishes a staged artifact. A repeated call changes nothing. Throws what the builder refuses. */
    approve: async (content: ContentOfVersion): Promise<void> => {
      const { notices: _notices, staged: _staged, ...publication } = await options.publisher.approve(content);
      await register(options, publication, undefined);
    },
    /** Removes a staged artifact: its version is free again. Throws CONFLICT if it is published. */
    discard: (record: StagedContent, reason: string) => discard(options, record, reason),
    /** The staged artifacts that wait for a person, oldest first. Those that nobody decided in time are removed. */
    staged: () => listStaged(options),
    /** The records, oldest first, or those of one package. */
    list: (name?: string) => list(options, name),
    /** The present states of these records. */
    asServed: (records: readonly ArtifactRecord[]) => asServed(options.dataDirectory, records),
    /** The record with its present state. Throws NOT_FOUND. */
    get: async (id: string): Promise<ArtifactRecord> => {
      const { record } = await find(options, id);
      return (await asServed(options.dataDirectory, [record]))[0] ?? record;
    },
    /** A repeated call changes nothing. Throws NOT_FOUND and BUILD_BUSY. */
    withdraw: (id: string) => withdraw(options, id),
    cleanUp: (order: CleanupOrder) => cleanUpArtifacts(options, order),
  };
}

async function list({ store }: ArtifactsOptions, name: string | undefined): Promise<ArtifactRecord[]> {
  const records = (await store.range(artifactKeyPrefix)).map(({ value }) => parseArtifactRecord(value));
  return records
    .filter((record) => name === undefined || record.name === name)
    .sort((a, b) => compareText(orderOf(a), orderOf(b)));
}

/** Orders records by their creation. */
export function orderOf({ created_at: createdAt, id }: ArtifactRecord): string {
  return `${createdAt} ${id}`;
}

/** Writes the record of the published artifact, and starts again if another process wrote first. */
async function register(
  options: ArtifactsOptions,
  publication: ArtifactPublication,
  from: PublishedFrom | undefined,
): Promise<Registered> {
  const { store } = options;
  for (;;) {
    const [content, pointer] = [await store.get(contentKey(publication)), await store.get(versionKey(publication))];
    const same = content === undefined ? undefined : await recordAt(store, parseContentPointer(content.value));
    const latest = pointer === undefined ? undefined : parseVersionPointer(pointer.value);
    const other = latest === undefined || latest.id === same?.record.id ? undefined : await recordAt(store, latest.id);
    if (same?.record.status === 'published') return { record: same.record, created: false };
    // another upload of this dev version was published after this one, and registered before it
    const late = latest !== undefined && latest.serial > publication.serial;
    const record = recordOf(options, publication, same?.record ?? newRecord(options, from), late);
    const superseded = late || other?.record.status !== 'published' ? undefined : other.record;
    const done = await store.commit(
      {
        conditions: [
          { key: contentKey(publication), revision: content?.revision ?? null },
          { key: versionKey(publication), revision: pointer?.revision ?? null },
          ...[same, other].flatMap((found) =>
            found === undefined ? [] : [{ key: artifactKey(found.record.id), revision: found.revision }],
          ),
        ],
        puts: [
          { key: artifactKey(record.id), value: { ...record } },
          { key: contentKey(publication), value: record.id },
          ...(late ? [] : [{ key: versionKey(publication), value: { id: record.id, serial: publication.serial } }]),
          ...(superseded === undefined ? [] : [supersedes(options, superseded)]),
        ],
        deletes: same?.record.status === 'staged' ? [stagedKey(record)] : [],
      },
      publishEvent(options, record),
    );
    if (done) return { record, created: true };
  }
}

/** The row of an artifact that a later upload of the same dev version replaces. */
function supersedes(options: ArtifactsOptions, record: ArtifactRecord) {
  return {
    key: artifactKey(record.id),
    value: { ...record, status: 'superseded', retired_at: nowText(options) } as const,
  };
}

/** Content that was published before is the same artifact again. */
function recordOf(
  options: ArtifactsOptions,
  { serial: _serial, ...publication }: ArtifactPublication,
  made: RecordHeader,
  late: boolean,
): ArtifactRecord {
  const standing = late
    ? ({ status: 'superseded', retired_at: nowText(options) } as const)
    : ({ status: 'published', retired_at: null } as const);
  return { ...made, ...publication, ...standing };
}

async function discard(options: ArtifactsOptions, record: StagedContent, reason: string): Promise<void> {
  if (await discardStaged(options, record, reason)) return;
  throw new RegistryError('CONFLICT', {
    message:
      `${record.name} ${record.version} is published, because its approval was interrupted. Approve it again, and then ` +
      'withdraw it.',
  });
}

async function withdraw(options: ArtifactsOptions, id: string): Promise<ArtifactRecord> {
  const { store, actor, publisher } = options;
  const { record } = await find(options, id);
  if (record.status !== 'published') return record;
  await publisher.withdraw(record);
  for (;;) {
    const found = await find(options, id);
    if (found.record.status !== 'published') return found.record;
    const withdrawn: ArtifactRecord = { ...found.record, status: 'withdrawn', retired_at: nowText(options) };
    const { name, version } = withdrawn;
    const done = await store.commit(
      {
        conditions: [{ key: artifactKey(id), revision: found.revision }],
        puts: [{ key: artifactKey(id), value: { ...withdrawn } }],
        deletes: [],
      },
      { actor, action: 'artifact.withdraw', subject: id, details: { name, version } },
    );
    if (done) return withdrawn;
  }
}

async function find({ store }: ArtifactsOptions, id: string): Promise<Found> {
  const found = isArtifactId(id) ? await recordAt(store, id) : undefined;
  if (found === undefined) throw artifactNotFound();
  return found;
}

export function artifactNotFound(): RegistryError {
  return new RegistryError('NOT_FOUND', { message: 'Artifact not found.' });
}
