// A tree that was built elsewhere as a source: its releases are its published versions, with their bytes. An incomplete
// tree ends the build before the publication, since missing versions would count as withdrawn.

import { join } from 'node:path';
import { digestOf } from '../../shared/text/digest-of.ts';
import { QuarantineError, type Quarantine } from '../../contract/quarantine.ts';
import type { Release, Scan, Source, SourceMemory } from '../release.ts';
import { openReceivedTree, type ReceivedTree, type ReceivedVersion } from './received-tree.ts';
import { admitZip } from '../../archive/zip-admission/admit-zip.ts';
import { foreignZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import { sha1Of } from '../../archive/zip-admission/open-file.ts';
import { branchOfLabel } from '../../documents/branch-order.ts';
import type { Sha1 } from '../../contract/digest.ts';
import type { VersionRecord } from '../../contract/documents.ts';
import { type JsonObject, isJsonObject, type JsonValue } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { maxTextBytes, textPath, type TextDigest } from '../../contract/package-texts.ts';
import type { IndexEntry } from '../../contract/serving-index.ts';
import { isDevVersion } from '../../contract/version.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { checkedLabel } from '../checked-label.ts';
import { createPause } from '../../files/pause.ts';
import type { Output } from '../../output/output.ts';
import type { ReceivedPlace, ReceivedBundle } from '../spec.ts';
import { readUnchanged } from '../../files/read-file.ts';
import { withoutPassword } from '../address-secrets.ts';
import { parseGitUrl } from '../git-url.ts';
import { readyArchive } from '../../archive/zip-admission/ready-archive.ts';
import { readTexts } from '../../archive/zip-admission/zip-texts.ts';
import type { ArchivedText, PackageTexts } from '../../archive/content.ts';
import { incomplete, pathInTree } from './tree-file.ts';
import { BuildRefused } from '../../contract/refusals.ts';
import { readOwnIndex } from '../../output/parse-own-file.ts';

// A published version of a received tree as a release: its record serves as its composer.json, and its archive is
// copied byte for byte.

/**
 * `root`: of the tree, without symlinks. `adopted`: the tree has no texts beside its archives. Throws QuarantineError
 * for a version that could not be published from here.
 */
function receivedRelease(
  root: string,
  name: PackageName,
  { entry, record }: ReceivedVersion,
  adopted: boolean,
): Release {
  const { version, normalized } = checkedLabel(entry.version, 'The version is');
  if (normalized !== entry.version_normalized)
    throw new QuarantineError(
      'VERSION_MISMATCH',
      `Version ${entry.version} is ${normalized} here, and ${JSON.stringify(entry.version_normalized)} in the ` +
        'tree. Build the tree with the same version of Libretto.',
    );
  const path = join('public', entry.path);
  // this registry sets the archive's location and its checks itself
  const { dist: _dist, 'published-time': publishedTime, ...composerJson } = record;
  const sourceUrl = sourceUrlOf(record);
  return {
    name,
    version,
    normalized,
    dev: isDevVersion(normalized),
    reference: entry.reference,
    shasum: entry.shasum,
    time: entry.time ?? undefined,
    ...(typeof publishedTime === 'string' ? { publishedTime } : {}),
    ...(isDevVersion(normalized) ? { branch: entry.branch ?? branchOfLabel(version) } : {}),
    ...(entry.signed_by === undefined ? {} : { signedBy: entry.signed_by }),
    defaultBranch: record['default-branch'] === true,
    where: join(root, path),
    ...(sourceUrl === undefined ? {} : { sourceUrl }),
    recordDigest: digestOf(JSON.stringify([composerJson, entry.shasum])),
    composerJson: async () => checked(composerJson),
    content: {
      copyTo: (target) => takeOver(root, path, entry, target),
      texts: () => (adopted ? readTexts(join(root, path)) : Promise.resolve(textsOf(root, name, entry))),
    },
  };
}

/** undefined: it has none, or one that no git source may have, such as a command (`ext::`), a path, or an option. */
function sourceUrlOf({ source }: VersionRecord): string | undefined {
  const parsed = typeof source?.url === 'string' ? parseGitUrl(withoutPassword(source.url)) : undefined;
  return parsed !== undefined && 'url' in parsed ? parsed.url : undefined;
}

function checked(composerJson: JsonObject): JsonObject {
  checkComposerJson(composerJson);
  return composerJson;
}

/**
 * A SHA-1 that differs from the tree's index is damage, and refuses the whole tree. An unsafe archive is omitted alone.
 */
async function takeOver(
  root: string,
  path: string,
  { shasum, size }: IndexEntry,
  target: string,
): Promise<{ readonly shasum: Sha1; readonly size: number }> {
  const place = pathInTree(root, path);
  if ((await sha1Of(place)) !== shasum)
    throw incomplete(root, path, `does not have the SHA-1 ${shasum} that its index names`);
  const { sha256 } = await admitZip(place, foreignZipLimits);
  const copied = await readyArchive(place, sha256).copyTo(target);
  if (copied.shasum !== shasum || copied.size !== size) throw incomplete(root, path, 'changed while it was being read');
  return copied;
}

function textsOf(root: string, name: PackageName, { readme, changelog }: IndexEntry): PackageTexts {
  const text = (digest: TextDigest): ArchivedText => ({
    identity: `received:${digest}`,
    read: () => readText(root, join('index', textPath(name, digest))),
  });
  return {
    ...(readme === undefined ? {} : { readme: text(readme) }),
    ...(changelog === undefined ? {} : { changelog: text(changelog) }),
  };
}

async function readText(root: string, path: string): Promise<Buffer | undefined> {
  try {
    return await readUnchanged(pathInTree(root, path), { maxBytes: 2 * maxTextBytes }, createPause());
  } catch {
    return undefined; // as with any source, a faulty README does not prevent a version
  }
}

/** Raise it whenever the same tree could now be read as something else. */
const recipe = 1;

/**
 * `folder` is absolute. `output`: of this registry. Scanning throws BuildRefused for a tree that is not complete, and for
 * a bundle of another registry or of an earlier publication.
 */
export function createReceivedSource(
  folder: string,
  place: Pick<ReceivedPlace, 'adopted' | 'bundle'>,
  output: Pick<Output, 'read'>,
): Source {
  return {
    scan: async (previous) => {
      if (place.bundle !== undefined) refuseOtherBundle(place.bundle, previous?.detail);
      return scan(await openReceivedTree(folder), previous, place, output);
    },
    close: () => Promise.resolve(),
  };
}

async function scan(
  tree: ReceivedTree,
  previous: SourceMemory | undefined,
  { adopted, bundle }: Pick<ReceivedPlace, 'adopted' | 'bundle'>,
  output: Pick<Output, 'read'>,
): Promise<Scan> {
  const releases: Release[] = [];
  const quarantined: Quarantine[] = [...tree.quarantined];
  const notices: string[] = [];
  for (const name of tree.names) {
    for (const version of await versionsIn(tree, name, bundle, output)) {
      try {
        releases.push(receivedRelease(tree.root, name, version, adopted === true));
        if (version.record.source !== undefined && sourceUrlOf(version.record) === undefined)
          notices.push(`The address in "source" of ${name} ${version.entry.version} is none of git: it was left out.`);
      } catch (error) {
        if (!(error instanceof QuarantineError)) throw error;
        quarantined.push({
          code: error.code,
          message: error.message,
          where: join(tree.root, 'public', version.entry.path),
          name,
          version: version.entry.version,
        });
      }
    }
  }
  const detail = bundle === undefined ? null : { registry: bundle.registry, serial: bundle.serial };
  const fingerprint = fingerprintOf(releases, quarantined, detail);
  if (fingerprint === previous?.fingerprint) return { outcome: 'unchanged' };
  return { outcome: 'read', releases, quarantined, notices, memory: { fingerprint, detail } };
}

function fingerprintOf(
  releases: readonly Release[],
  quarantined: readonly Quarantine[],
  detail: SourceMemory['detail'],
): string {
  const rows = releases.map(({ name, version, reference, time, recordDigest }) => [
    name,
    version,
    reference,
    time ?? null,
    recordDigest ?? null,
  ]);
  const faults = quarantined.map(({ code, name, version, message }) => [code, name, version, message]);
  return digestOf(JSON.stringify([recipe, rows, faults, ...(detail === null ? [] : [detail])]));
}

/**
 * A bundle continues what was received before. `before`: what was received under this name. An older bundle would withdraw what is
 * newer. Throws BuildRefused.
 */
function refuseOtherBundle({ registry, serial, whole }: ReceivedBundle, before: JsonValue | undefined): void {
  if (!isJsonObject(before)) return;
  if (before['registry'] !== registry)
    throw new BuildRefused(
      `The bundle is of the registry ${registry}, and what was received under this name is of ` +
        `${String(before['registry'])}. Name this one differently with --as. Nothing was changed.`,
    );
  if (whole && Number(before['serial']) > serial)
    throw new BuildRefused(
      `The bundle has publication ${serial} of ${registry}, and publication ${Number(before['serial'])} was received ` +
        'before. Receive a newer bundle. Nothing was changed.',
    );
}

/**
 * The versions of a package in the tree. Those that this registry has may be without their archives. Of a bundle with
 * some versions they are left out: it says nothing new about what another source has published here.
 */
async function versionsIn(
  tree: ReceivedTree,
  name: PackageName,
  bundle: ReceivedBundle | undefined,
  output: Pick<Output, 'read'>,
): Promise<readonly ReceivedVersion[]> {
  if (bundle === undefined) return tree.versionsOf(name);
  const index = await readOwnIndex(output, name);
  const isHere = ({ version, reference, shasum }: IndexEntry): boolean =>
    index?.versions.some((one) => one.version === version && one.reference === reference && one.shasum === shasum) ===
    true;
  const versions = await tree.versionsOf(name, isHere);
  return bundle.whole ? versions : versions.filter(({ entry }) => !isHere(entry));
}
