// Removes ZIPs that no publication needs: withdrawn and superseded artifacts after their retention, and the remains of
// interrupted uploads. The cleanup marks first, then sweeps. A ZIP that a published document refers to stays, and so
// does every ZIP younger than an hour, with any record. The folders that builds read and the served archives are never
// touched: lock files still install.

import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  artifactsFolder,
  retiredFolder,
  retiredPath,
  stagingFolder,
  stagingProcess,
} from '../../build/contract/artifact-files.ts';
import { processStart } from '../../build/shared/process/process-start.ts';
import { artifactKey, artifactKeyPrefix, contentKey, parseArtifactRecord, type ArtifactRecord } from './artifact.ts';
import type { ChangeParts } from '../state/audit.ts';
import { isOffered } from './publication-status.ts';

export interface CleanupOrder {
  /** the retention of withdrawn and superseded ZIPs, whole days */
  readonly retentionDays: number;
  /** true: only returns the plan */
  readonly dryRun: boolean;
}

export interface Cleanup {
  readonly artifacts: readonly ArtifactRecord[];
  /** files without a record, below the folder of artifacts */
  readonly leftovers: readonly { readonly file: string; readonly size: number }[];
  /** sum of all of them */
  readonly bytes: number;
}

export interface CleanupOptions extends Omit<ChangeParts, 'randomBytes'> {
  /** absolute */
  readonly dataDirectory: string;
}

const youngMs = 3_600_000;
const dayMs = 86_400_000;

export async function cleanUpArtifacts(options: CleanupOptions, order: CleanupOrder): Promise<Cleanup> {
  for (;;) {
    const found = await sweepable(options, order.retentionDays);
    const { artifacts, leftovers } = found;
    const cleanup: Cleanup = {
      artifacts: artifacts.map(({ record }) => record),
      leftovers: leftovers.map(({ file, size }) => ({ file, size })),
      bytes: [...artifacts, ...leftovers].reduce((sum, { size }) => sum + size, 0),
    };
    if (order.dryRun || artifacts.length + leftovers.length === 0) return cleanup;
    if (!(await forget(options, order, found, cleanup.bytes))) continue; // a concurrent change of a record: start again
    for (const { file } of [...artifacts, ...leftovers])
      await rm(join(options.dataDirectory, artifactsFolder, file), { force: true });
    return cleanup;
  }
}

interface Sweepable {
  readonly artifacts: readonly {
    readonly record: ArtifactRecord;
    readonly revision: number;
    readonly file: string;
    readonly size: number;
  }[];
  readonly leftovers: readonly ArtifactFile[];
}

async function sweepable({ store, now, dataDirectory }: CleanupOptions, retentionDays: number): Promise<Sweepable> {
  const nowMs = now();
  const before = nowMs - retentionDays * dayMs;
  const old = ({ changedMs }: ArtifactFile): boolean => changedMs <= nowMs - youngMs;
  const folder = join(dataDirectory, artifactsFolder);
  const retired = new Map((await listFiles(folder, retiredFolder)).map((file) => [file.file, file]));
  const entries = (await store.range(artifactKeyPrefix)).map(({ value, revision }) => {
    const record = parseArtifactRecord(value);
    return { record, revision, file: retiredPath(record.name, record.version_normalized, record.reference) };
  });
  const recorded = new Set(entries.map(({ file }) => file));
  const artifacts: Sweepable['artifacts'][number][] = [];
  for (const entry of entries) {
    const { status, retired_at: retiredAt } = entry.record;
    if (status === 'published' || retiredAt === null || Date.parse(retiredAt) > Math.min(before, nowMs - youngMs))
      continue;
    if (await isOffered(dataDirectory, entry.record)) continue;
    artifacts.push({ ...entry, size: retired.get(entry.file)?.size ?? 0 });
  }
  const orphans = [...retired.values()].filter(
    (file) => !recorded.has(file.file) && old(file) && file.changedMs <= before,
  );
  const stale = (await listFiles(folder, stagingFolder)).filter((file) => old(file) && !isStaging(file));
  return { artifacts, leftovers: [...orphans, ...stale] };
}

/**
 * Removes the record before its file. The next cleanup sweeps a file without a record; a record without a file would
 * name a missing content.
 */
function forget(
  { store, actor }: CleanupOptions,
  { retentionDays }: CleanupOrder,
  { artifacts, leftovers }: Sweepable,
  bytes: number,
): Promise<boolean> {
  return store.commit(
    {
      conditions: artifacts.map(({ record, revision }) => ({ key: artifactKey(record.id), revision })),
      puts: [],
      deletes: artifacts.flatMap(({ record }) => [artifactKey(record.id), contentKey(record)]),
    },
    {
      actor,
      action: 'artifact.cleanup',
      subject: 'artifacts',
      details: {
        retention_days: retentionDays,
        artifacts: artifacts.map(({ record }) => record.id),
        leftovers: leftovers.map(({ file }) => file),
        bytes,
      },
    },
  );
}

/** True while the upload's process runs, even if the clock makes the file seem old. */
function isStaging({ file }: ArtifactFile): boolean {
  const pid = stagingProcess(basename(file));
  return pid !== undefined && processStart(pid) !== undefined;
}

interface ArtifactFile {
  /** below the folder of artifacts */
  readonly file: string;
  readonly size: number;
  /** epoch milliseconds: when it was written or moved here */
  readonly changedMs: number;
}

async function listFiles(folder: string, part: string): Promise<ArtifactFile[]> {
  const names = (await orMissing(readdir(join(folder, part)))) ?? [];
  const files = await Promise.all(
    names.map(async (name) => {
      const facts = await orMissing(stat(join(folder, part, name)));
      return facts?.isFile() === true ? [{ file: `${part}/${name}`, size: facts.size, changedMs: facts.ctimeMs }] : [];
    }),
  );
  return files.flat().sort((one, other) => (one.file < other.file ? -1 : 1));
}

async function orMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  return operation.catch((error: unknown) =>
    (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : Promise.reject(error),
  );
}
