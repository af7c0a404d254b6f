// A folder of ZIPs and tars as a source: each is one version of a package. A ZIP is published with its own bytes, a tar
// as the ZIP that is made of it. A scan does not open unchanged files again. A faulty one never stops the others.

import { randomUUID, createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SingleFlight } from '../../shared/concurrency/single-flight.ts';
import { retiredFolder } from '../../contract/artifact-files.ts';
import { setDuplicatesAside } from '../directory/duplicates.ts';
import type { Quarantine } from '../../contract/quarantine.ts';
import type { Scan, Source, SourceMemory, Release } from '../release.ts';
import { resolveFolder, withoutSymlinks } from '../root-folder.ts';
import {
  formatArtifactMemory,
  parseArtifactMemory,
  type ArchiveState,
  type ArchiveStates,
  type ArtifactFacts,
} from './artifact-memory.ts';
import { describeZip, descriptionSuffix, readDescription, type DescriptionFile } from './described-zip.ts';
import { examineArchive, identityOf, type ArchiveFiles } from './examine-archive.ts';
import { findArchives, type ArchivePaths } from './find-archives.ts';
import { repackTar } from './repack-tar.ts';
import { readZipDirectory } from '../../archive/zip-directory.ts';
import { defaultZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import type { JsonObject } from '../../contract/json.ts';
import { isDevVersion } from '../../contract/version.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { maxComposerJsonBytes, parseComposerJson, type NoteRepeated } from '../../record/parse-composer-json.ts';
import { createPause } from '../../files/pause.ts';
import { changedWhileRead, readUnchanged } from '../../files/read-file.ts';
import { archiveReference, readyArchive } from '../../archive/zip-admission/ready-archive.ts';
import { readTexts } from '../../archive/zip-admission/zip-texts.ts';

// An admitted ZIP or tar as a release. The release holds no open file. A later read returns the admitted bytes, or an
// error.

function artifactRelease({ path, zip }: ArchiveFiles, known: ArtifactFacts): Release {
  const { name, version, normalized, sha256, time } = known;
  return {
    name,
    version,
    normalized,
    dev: isDevVersion(normalized),
    reference: archiveReference(sha256),
    time,
    defaultBranch: false,
    where: path,
    composerJson: async (noteRepeated) => readComposerJson(await zip(), path, known, noteRepeated),
    content: {
      copyTo: async (target) => readyArchive(await zip(), sha256).copyTo(target),
      texts: async () => readTexts(await zip()),
    },
  };
}

/** Throws QuarantineError UNREADABLE_FILE if the ZIP is no longer the one that was admitted. */
async function readComposerJson(
  zip: string,
  path: string,
  { composerPath, composerHash }: ArtifactFacts,
  noteRepeated?: NoteRepeated,
): Promise<JsonObject> {
  const archive = await readUnchanged(zip, { maxBytes: defaultZipLimits.archiveBytes }, createPause());
  const bytes = memberOf(archive, composerPath);
  if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== composerHash)
    throw changedWhileRead(path);
  const json = parseComposerJson(bytes, `${composerPath} in ${path}`, noteRepeated);
  checkComposerJson(json);
  return json;
}

/** undefined for an unreadable member: the archive was admitted, so the file must have changed since. */
function memberOf(archive: Buffer, path: string): Buffer | undefined {
  try {
    return readZipDirectory(archive).get(path)?.read(maxComposerJsonBytes);
  } catch {
    // which fault it has now does not matter here
    return undefined;
  }
}

export interface ArtifactSourceOptions {
  /** absolute; may be inside the data folder */
  readonly root: string;
  /** absolute; never entered, even below the root */
  readonly dataDirectory: string;
  readonly now?: () => Date;
}

export function createArtifactSource(options: ArtifactSourceOptions): Source {
  const folder = join(tmpdir(), `libretto-tars-${randomUUID()}`);
  const made = new SingleFlight<string>({ keeps: 'fulfilled' });
  const zipOf: ZipOf = (path, described) => {
    const isZip = /\.zip$/i.test(path);
    if (isZip && described === undefined) return Promise.resolve(path);
    return made.run(path, async () => {
      const zip = isZip ? path : await repackTar(path, folder);
      return described === undefined ? zip : describeZip(zip, await readDescription(described), folder);
    });
  };
  return {
    scan: (previous) => scan(options, previous, zipOf),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The ZIP of an artifact. That of a tar or of a described archive is made at the first need, in a temporary folder. */
type ZipOf = (path: string, described: DescriptionFile | undefined) => Promise<string>;

async function scan(
  { root: given, dataDirectory: givenData, now = () => new Date() }: ArtifactSourceOptions,
  previous: SourceMemory | undefined,
  zipOf: ZipOf,
): Promise<Scan> {
  const root = resolveFolder(given, 'Name the folder with the ZIPs.');
  if ('reason' in root) return { outcome: 'failed', reason: root.reason };
  const dataDirectory = withoutSymlinks(givenData);
  if (dataDirectory === root.path)
    return {
      outcome: 'failed',
      reason: `${given} is the data folder itself. Name a separate data folder with --data.`,
    };
  const scanStart = now().getTime();
  const found = findArchives(root.path, dataDirectory);
  const failure = failureOf(found, root.path, given);
  if (failure !== undefined) return { outcome: 'failed', reason: failure };

  const known = parseArtifactMemory(previous?.detail);
  const archives = new Map<string, ArchiveState>();
  const notices = noticesOf(found);
  const zips: Zips = (path) => archiveFiles(root.path, path, found.described.get(path), zipOf);
  for (const path of found.paths) {
    const zip = zips(path);
    const examined = await examineArchive(zip, scanStart, known.get(path));
    archives.set(path, examined.known);
    notices.push(...examined.remarks.map((remark) => `${path} contains ${remark}`));
  }
  return conclude({ root: root.path, found, archives, known, notices, previous, zips });
}

function noticesOf({ passedOver, idle }: ArchivePaths): string[] {
  return [
    ...passedOver.map(
      (path) => `${path} is passed over. Pack it as .zip, .tar, .tar.gz or .tgz: only those are artifacts.`,
    ),
    ...idle.map(
      (path) => `${path} describes no archive. Name it as its ZIP, with ${descriptionSuffix} in place of .zip.`,
    ),
  ];
}

/** The files of an archive, by its path below the root. */
type Zips = (path: string) => ArchiveFiles;

function archiveFiles(
  root: string,
  path: string,
  description: DescriptionFile | undefined,
  zipOf: ZipOf,
): ArchiveFiles {
  const described = description && { ...description, path: join(root, description.path) };
  const at = join(root, path);
  return { path: at, description: described?.path, zip: () => zipOf(at, described) };
}

interface Examined {
  readonly root: string;
  readonly found: ArchivePaths;
  readonly archives: ReadonlyMap<string, ArchiveState>;
  readonly known: ArchiveStates;
  readonly notices: readonly string[];
  readonly previous: SourceMemory | undefined;
  readonly zips: Zips;
}

function conclude({ root, found, archives, known, notices, previous, zips }: Examined): Scan {
  const admitted = [...archives].flatMap(([path, { outcome }]) =>
    'artifact' in outcome ? [artifactRelease(zips(path), outcome.artifact)] : [],
  );
  const refused = [...archives].flatMap(([path, { outcome }]): Quarantine[] =>
    'refusal' in outcome ? [{ ...outcome.refusal, where: join(root, path) }] : [],
  );
  const { releases, quarantined: duplicates } = setDuplicatesAside(admitted);
  const hidden = found.unreadable.flatMap((place) => hiddenArchives(root, place, known));
  const quarantined = [...refused, ...duplicates, ...hidden.map(({ quarantine }) => quarantine)];
  const unreadableArchives = hidden.flatMap(({ archive }) => (archive === undefined ? [] : [archive]));
  const memory = formatArtifactMemory(new Map([...archives, ...unreadableArchives]), quarantined, [
    ...found.passedOver,
    ...found.idle,
  ]);
  if (memory.fingerprint === previous?.fingerprint) return { outcome: 'unchanged' };
  return { outcome: 'read', releases, quarantined, notices, memory };
}

interface HiddenArchive {
  readonly quarantine: Quarantine;
  /** the remembered row of the ZIP, for a later scan that can read the folder */
  readonly archive?: readonly [path: string, known: ArchiveState];
}

/** The versions that an unreadable folder had at the last readable scan; if none are known, the folder itself. */
function hiddenArchives(
  root: string,
  { folder, reason }: ArchivePaths['unreadable'][number],
  known: ArchiveStates,
): HiddenArchive[] {
  const where = join(root, folder);
  const quarantine = {
    code: 'UNREADABLE_FILE',
    message: `The folder ${where} cannot be read: ${reason}. Its ZIPs are left out.`,
    where,
  } as const;
  const lost = [...known].filter(([path]) => path.startsWith(`${folder}/`));
  if (lost.length === 0) return [{ quarantine: { ...quarantine, name: null, version: null } }];
  return lost.map((archive) => ({ quarantine: { ...quarantine, ...identityOf(archive[1]) }, archive }));
}

/**
 * The reason why the folder has nothing to examine, or undefined. The registry's own folder of artifacts may be empty
 * after the withdrawal of its last ZIP. The folder of retired ZIPs proves that it is this folder, and not an unmounted
 * directory.
 */
function failureOf({ paths, unreadable }: ArchivePaths, root: string, given: string): string | undefined {
  const itself = unreadable.find(({ folder }) => folder === '');
  if (itself !== undefined) return `${given} cannot be read: ${itself.reason}.`;
  return paths.length + unreadable.length > 0 || existsSync(join(root, retiredFolder))
    ? undefined
    : `${given} contains no ZIP and no tar (.tar, .tar.gz, .tgz), at any depth. Files and folders that start with a dot ` +
        'are skipped.';
}
