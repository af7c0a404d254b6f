// An archive that a composer.json beside it describes: `forms.zip` and `forms.composer.json`. A bought plugin comes as
// such a ZIP. It becomes a package with that composer.json inside. All other entries keep their bytes.
//
// One description serves many versions: forms.composer.json also describes forms-1.2.0.zip and forms_v1.3.zip. The
// version is the one in the description, else in the archive's name, else in the header of WordPress.

import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { withFile } from '../../archive/zip-admission/insert-file.ts';
import { admitZip, type AdmittedZip } from '../../archive/zip-admission/admit-zip.ts';
import { readCentralDirectory } from '../../archive/zip-admission/end-record.ts';
import { withOpenFile } from '../../archive/zip-admission/open-file.ts';
import { defaultZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import type { JsonObject } from '../../contract/json.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { normalizeVersion } from '../../contract/version.ts';
import { createPause } from '../../files/pause.ts';
import { changedWhileRead, readUnchanged } from '../../files/read-file.ts';
import { withPathSync } from '../../output/storage-error.ts';
import { writeJson } from '../../record/exact-integers.ts';
import { maxComposerJsonBytes, parseComposerJson } from '../../record/parse-composer-json.ts';
import { checkedLabel, declaredVersion } from '../checked-label.ts';
import { statedVersion } from './wordpress-header.ts';

export const descriptionSuffix = '.composer.json';

export interface DescriptionFile {
  readonly path: string;
  /** in the archive's name */
  readonly version: string | undefined;
}

export interface Description {
  readonly json: JsonObject;
  /** the origin of the JSON, for messages */
  readonly where: string;
  readonly fileVersion?: string | undefined;
  /** refuses a ZIP with a composer.json, because the description has not all of its fields */
  readonly partial?: true;
}

/** The description of an archive, by their names; the longest name counts. */
export function descriptionFileOf(archive: string, exists: (path: string) => boolean): DescriptionFile | undefined {
  const stem = stemOf(archive);
  const same = `${stem}${descriptionSuffix}`;
  if (exists(same)) return { path: same, version: versionInName(archive) };
  return splitsOf(stem)
    .map(([name, version]) => ({ path: `${name}${descriptionSuffix}`, version }))
    .findLast(({ path }) => exists(path));
}

/** The version in the name of an archive: `2.8.1` of forms-2.8.1.zip. */
export function versionInName(archive: string): string | undefined {
  return splitsOf(stemOf(archive))[0]?.[1];
}

function stemOf(archive: string): string {
  return archive.replace(/\.(?:zip|tar|tgz|(?:tar\.)?gz)$/i, '');
}

/** Every name before a version, and that version; the shortest name first. */
function splitsOf(stem: string): readonly (readonly [name: string, version: string])[] {
  return [...stem.matchAll(/[-_.@](?=v?\d)/gi)].flatMap(({ index }) => {
    const [name, version] = [stem.slice(0, index), stem.slice(index + 1)];
    const isSplit = index > stem.lastIndexOf('/') + 1 && normalizeVersion(version) !== undefined;
    return isSplit ? [[name, version] as const] : [];
  });
}

/** Throws QuarantineError. */
export async function readDescription({ path, version }: DescriptionFile): Promise<Description> {
  const bytes = await readUnchanged(path, { maxBytes: maxComposerJsonBytes }, createPause());
  return { json: parseComposerJson(bytes, path), where: path, fileVersion: version };
}

/**
 * Resolves with the path of a new ZIP in this folder. The description takes the place of a composer.json in the ZIP.
 * Throws QuarantineError, and StorageError for the disk.
 */
export async function describeZip(zip: string, description: Description, folder: string): Promise<string> {
  const admitted = await admitZip(zip);
  if (description.partial === true && admitted.paths.includes(`${admitted.root}composer.json`))
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      'The archive has a composer.json. Leave out --name and --type to use it. To replace it, write the whole ' +
        `composer.json beside the archive: PLUGIN.zip needs PLUGIN${descriptionSuffix}.`,
    );
  const directory = await withOpenFile(zip, (descriptor, look) => {
    if (look.stamp !== admitted.stamp) throw changedWhileRead(zip);
    return Promise.resolve(readCentralDirectory(descriptor, look.size, defaultZipLimits));
  });
  const { stamp, root } = admitted;
  const bytes = await readUnchanged(zip, { stamp, maxBytes: defaultZipLimits.archiveBytes }, createPause());
  const version = versionOf(description, admitted, bytes);
  const json = version === undefined ? description.json : { ...description.json, version };
  const composerJson = Buffer.from(`${writeJson(json)}\n`);
  return write(withFile(bytes, directory, `${root}composer.json`, composerJson), folder);
}

/** undefined: the name of the archive has to say it, as that of any artifact. */
function versionOf(
  { json, where, fileVersion }: Description,
  { root }: AdmittedZip,
  bytes: Buffer,
): string | undefined {
  const stated = statedVersion(json['type'], bytes, root);
  const declared = declaredVersion(json['version'], where);
  if (declared !== undefined || stated === undefined) return declared ?? fileVersion;
  const inHeader = normalizeVersion(stated.version);
  if (fileVersion === undefined)
    return checkedLabel(stated.version, `The header "Version:" in ${stated.path} is`).version;
  if (inHeader !== undefined && inHeader !== normalizeVersion(fileVersion))
    throw new QuarantineError(
      'VERSION_MISMATCH',
      `The archive's name says version ${fileVersion}, and the header of ${stated.path} says ${stated.version}. ` +
        `Rename the archive, or write "version" into ${where}.`,
    );
  return fileVersion;
}

function write(parts: readonly Buffer[], folder: string): string {
  const target = join(folder, `${randomUUID()}.zip`);
  withPathSync(target, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = openSync(target, 'wx', 0o600);
    try {
      for (const part of parts)
        for (let done = 0; done < part.length;) done += writeSync(file, part, done, part.length - done);
    } finally {
      closeSync(file);
    }
  });
  return target;
}
