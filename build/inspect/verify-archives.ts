// `verify` checks one published archive: the file, its bytes, its content, and its plain copy.

import { openZipMembers } from '../archive/zip-members.ts';
import { packageRoot } from '../archive/package-root.ts';
import { isJsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { distPath, type DistLabel, type PublicPath } from '../contract/paths.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { isDevVersion } from '../contract/version.ts';
import { maxComposerJsonBytes } from '../record/parse-composer-json.ts';
import { readOrFault, type Fault, type Repairs, type VerifyContext } from './verify-fault.ts';

function repairArchive({ version_normalized: normalized, state }: IndexEntry, { devArchive }: Repairs): string {
  if (!isDevVersion(normalized)) return repairRelease;
  return state === 'published' ? devArchive : 'Restore it from a backup: its source has another content now.';
}

const repairRelease = 'Restore it from a backup; a build never makes an archive of a released version twice.';

/** The archive is there, and has the size, the SHA-1 and the content that were published. */
export async function archiveFault(
  name: PackageName,
  entry: IndexEntry,
  { output, fast, repairs }: VerifyContext,
): Promise<Fault | undefined> {
  const place = { path: `public/${entry.path}`, name, version: entry.version };
  const repair = repairArchive(entry, repairs);
  const unreadable: Fault[] = [];
  const wrong = { code: 'WRONG_BYTES', ...place } as const;
  const facts = await readOrFault(output.facts('public', entry.path), wrong, unreadable);
  if (facts === 'unreadable') return unreadable[0];
  if (facts === undefined) return { code: 'MISSING_FILE', ...place, message: `The archive is missing. ${repair}` };
  if (facts.size !== entry.size)
    return {
      code: 'WRONG_BYTES',
      ...place,
      message: `The archive has ${facts.size} bytes, published were ${entry.size}. ${repair}`,
    };
  if (fast) return undefined;
  const sha1 = await readOrFault(output.sha1('public', entry.path), wrong, unreadable);
  if (unreadable[0] !== undefined) return unreadable[0];
  if (sha1 !== entry.shasum)
    return {
      code: 'WRONG_BYTES',
      ...place,
      message: `The archive's SHA-1 is ${sha1 ?? 'unknown'}, published was ${entry.shasum}. ${repair}`,
    };
  // the store compared the bytes with their digest when they were sent, and `verify --output` asks it again
  if (facts.inode < 0n) return undefined;
  const fault = contentFault(await output.locate(entry.path));
  return fault === undefined ? undefined : { code: 'BAD_ARCHIVE', ...place, message: `${fault} ${repair}` };
}

/**
 * Checks the `<version>.zip` of a published version whose bytes have a longer name, because a bare static host serves
 * that file. A publication places it after the documents.
 */
export async function plainCopyFault(
  name: PackageName,
  entry: IndexEntry,
  { output, fast, settled, repairs }: VerifyContext,
): Promise<Fault | undefined> {
  const plain: PublicPath = distPath(name, entry.version as DistLabel);
  if (entry.state !== 'published' || entry.path === plain) return undefined;
  const place = { path: `public/${plain}`, name, version: entry.version };
  const unreadable: Fault[] = [];
  const copy = await readOrFault(output.facts('public', plain), { code: 'WRONG_BYTES', ...place }, unreadable);
  if (copy === 'unreadable') return unreadable[0];
  if (!settled) return undefined;
  const pinned = await output.facts('public', entry.path);
  if (copy === undefined)
    return {
      code: 'MISSING_FILE',
      ...place,
      message: `The plain copy of the archive is missing. ${repairs.byComparing}`,
    };
  if (copy.inode === pinned?.inode) return undefined;
  if (copy.size === entry.size && (fast || (await output.sha1('public', plain)) === entry.shasum)) return undefined;
  return {
    code: 'WRONG_BYTES',
    ...place,
    message: `The plain copy does not have the bytes of ${entry.path}. ${repairs.byComparing}`,
  };
}

/**
 * A sentence about the fault; undefined if the archive opens, has files, and its composer.json, if any, is a JSON
 * object. An archive from another packer may be flat, and an archive of an inline record needs no composer.json. The
 * name in composer.json is not compared: all versions of a repository are published under the name that its default
 * branch has now (VcsRepository.php:438).
 */
function contentFault(path: string): string | undefined {
  try {
    const files = openZipMembers(path);
    if (files.size === 0) return 'The archive contains no file.';
    const manifest = files.get(`${packageRoot([...files.keys()])}composer.json`);
    if (manifest === undefined) return undefined;
    if (manifest.size > maxComposerJsonBytes) return `The archive's composer.json claims ${manifest.size} bytes.`;
    const json: unknown = JSON.parse(manifest.read().toString('utf8'));
    return isJsonObject(json) ? undefined : "The archive's composer.json is not a JSON object.";
  } catch (error) {
    return `The archive cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
