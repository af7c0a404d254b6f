// Makes a published tree by hand, in the builder's formats and in its order of publication, for tests of its readers.

import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FormerFacts } from '../../build/contract/former-facts.ts';
import { parseReference, parseSha1, type Reference, type Sha1 } from '../../build/contract/digest.ts';
import { exactMetadataUrl, mirrorDistUrl } from '../../build/contract/documents.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import {
  distPath,
  indexPath,
  parseDistLabel,
  pinnedDistPath,
  providerPath,
  publicationPath,
  type DistLabel,
} from '../../build/contract/paths.ts';
import { formatPublication } from '../../build/contract/publication.ts';
import {
  formatPackageIndex,
  type DocumentStamp,
  type IndexEntry,
  type IndexState,
} from '../../build/contract/serving-index.ts';

export interface VersionSpec {
  readonly version: string;
  readonly normalized: string;
  readonly zip: Buffer;
  /** default: derived from the bytes */
  readonly reference?: string;
  readonly state?: IndexState;
  /** of its state; default: 2026-01-31 */
  readonly since?: string;
  /** default: it has had no other state */
  readonly firstPublished?: string;
  /** of the release itself; default: unknown */
  readonly time?: string;
  /** further fields of its record */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** what its entry keeps of its former record; default: nothing, as an older version wrote it */
  readonly facts?: FormerFacts;
}

export class HandMadeTree {
  readonly data: string;
  readonly #packages = new Map<PackageName, VersionSpec[]>();
  readonly #dropped = new Set<PackageName>();
  readonly #firstSecond = 1_700_000_000;
  #serial = 0;
  #root = '';
  #rootExtras: Readonly<Record<string, unknown>> = {};

  constructor(data: string) {
    this.data = data;
  }

  /** Newest version first, as in an index. */
  put(name: string, versions: readonly VersionSpec[]): void {
    this.#packages.set(packageName(name), [...versions]);
    this.#dropped.delete(packageName(name));
  }

  drop(name: string): void {
    this.#packages.delete(packageName(name));
    this.#dropped.add(packageName(name));
  }

  rootExtras(extras: Readonly<Record<string, unknown>>): void {
    this.#rootExtras = extras;
  }

  /**
   * Publishes all packages so far, in the order of a build. Like a build, `root: false` leaves packages.json alone,
   * because no name was added or removed.
   */
  publish({ root = true } = {}): void {
    this.#serial += 1;
    for (const [name, versions] of this.#packages) this.writeArchives(name, versions);
    for (const [name, versions] of this.#packages) this.writeIndex(name, versions);
    for (const [name, versions] of this.#packages) this.writeProvider(name, versions);
    if (root) this.#writeRoot();
    this.#writePublication();
  }

  writeArchives(name: PackageName | string, versions: readonly VersionSpec[]): void {
    for (const spec of versions)
      for (const path of archivePaths(packageName(name), spec)) this.write(join('public', path), spec.zip);
  }

  writeIndex(name: PackageName | string, versions: readonly VersionSpec[]): void {
    const owner = packageName(name);
    const entries = versions.map((spec) => indexEntry(owner, spec));
    const documents = { stable: this.#stamp(owner, versions, 'stable'), dev: this.#stamp(owner, versions, 'dev') };
    this.write(
      join('index', indexPath(owner)),
      formatPackageIndex({ format: 1, name: owner, documents, versions: entries }),
    );
  }

  writeProvider(name: PackageName | string, versions: readonly VersionSpec[]): void {
    const owner = packageName(name);
    for (const kind of ['stable', 'dev'] as const) {
      const text = providerText(owner, versions, kind);
      if (text !== undefined) this.write(join('public', providerPath(owner, kind)), text);
    }
  }

  #stamp(owner: PackageName, versions: readonly VersionSpec[], kind: 'stable' | 'dev'): DocumentStamp | null {
    const text = providerText(owner, versions, kind);
    return text === undefined ? null : { last_modified: this.#firstSecond + this.#serial, sha256: sha256(text) };
  }

  #writeRoot(): void {
    const names = [...this.#packages.keys()].toSorted();
    const mirrors = [{ 'dist-url': mirrorDistUrl, preferred: true }];
    this.#root = JSON.stringify({
      packages: {},
      'metadata-url': exactMetadataUrl,
      'available-packages': names,
      mirrors,
      ...this.#rootExtras,
    });
    this.write('public/packages.json', this.#root);
  }

  #writePublication(): void {
    const root = { last_modified: this.#firstSecond + this.#serial, sha256: sha256(this.#root) };
    const isWithdrawn = (versions: readonly VersionSpec[]): boolean =>
      versions.every(({ state = 'published' }) => state !== 'published');
    const withdrawn = [...this.#packages].flatMap(([name, versions]) => (isWithdrawn(versions) ? [name] : []));
    this.write(
      join('index', publicationPath),
      formatPublication({
        format: 1,
        serial: this.#serial,
        published_at: '2026-01-31T12:00:00Z',
        root,
        sources: [],
        withdrawn: [...this.#dropped, ...withdrawn].toSorted(),
      }),
    );
  }

  /** Replaces a file by rename, with a Last-Modified that rises with each publication. */
  write(path: string, content: string | Buffer): void {
    const target = join(this.data, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.new`, content);
    utimesSync(`${target}.new`, this.#firstSecond + this.#serial, this.#firstSecond + this.#serial);
    renameSync(`${target}.new`, target);
  }
}

function providerText(
  owner: PackageName,
  versions: readonly VersionSpec[],
  kind: 'stable' | 'dev',
): string | undefined {
  const shown = versions.filter(
    (spec) => isDev(spec) === (kind === 'dev') && (spec.state ?? 'published') === 'published',
  );
  return shown.length === 0
    ? undefined
    : JSON.stringify({
        packages: { [owner]: Object.fromEntries(shown.map((spec) => [spec.version, record(owner, spec)])) },
      });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Bytes that look like a ZIP, different for each seed. */
export function zipBytes(seed: string, size = 300): Buffer {
  const bytes = Buffer.alloc(size, createHash('sha256').update(seed).digest());
  bytes.write('PK\u0003\u0004', 'latin1');
  return bytes;
}

export const sha1 = (bytes: Buffer): Sha1 => digestOnce(sha1Digests, bytes, '');

// an archive of many megabytes is in every publication
const sha1Digests = new WeakMap<Buffer, Sha1>();
const referenceDigests = new WeakMap<Buffer, Sha1>();

function digestOnce(digests: WeakMap<Buffer, Sha1>, bytes: Buffer, prefix: string): Sha1 {
  const digest = digests.get(bytes) ?? parseSha1(createHash('sha1').update(prefix).update(bytes).digest('hex'));
  if (digest === undefined) throw new Error('not a SHA-1');
  digests.set(bytes, digest);
  return digest;
}

export function referenceOf(spec: VersionSpec): Reference {
  const reference = parseReference(spec.reference ?? digestOnce(referenceDigests, spec.zip, 'reference '));
  if (reference === undefined) throw new Error(`not a reference: ${String(spec.reference)}`);
  return reference;
}

function isDev(spec: VersionSpec): boolean {
  return spec.normalized.startsWith('dev-') || spec.normalized.endsWith('-dev');
}

function archivePaths(name: PackageName, spec: VersionSpec): readonly string[] {
  if (!isDev(spec)) return [distPath(name, label(spec))];
  const pinned = pinnedDistPath(name, label(spec), referenceOf(spec));
  return (spec.state ?? 'published') === 'published' ? [pinned, distPath(name, label(spec))] : [pinned];
}

function indexEntry(name: PackageName, spec: VersionSpec): IndexEntry {
  const path = isDev(spec) ? pinnedDistPath(name, label(spec), referenceOf(spec)) : distPath(name, label(spec));
  return {
    version: spec.version,
    version_normalized: spec.normalized,
    reference: referenceOf(spec),
    shasum: sha1(spec.zip),
    size: spec.zip.length,
    time: spec.time ?? null,
    path,
    state: spec.state ?? 'published',
    since: spec.since ?? '2026-01-31T12:00:00Z',
    ...(spec.firstPublished === undefined ? {} : { first_published: spec.firstPublished }),
    source: 'hand',
    ...(spec.facts === undefined ? {} : { facts: spec.facts }),
  };
}

function record(name: PackageName, spec: VersionSpec): object {
  const dist = {
    type: 'zip',
    url: `/${distPath(name, label(spec))}`,
    reference: referenceOf(spec),
    shasum: sha1(spec.zip),
  };
  return {
    name,
    version: spec.version,
    version_normalized: spec.normalized,
    dist,
    description: 'Made by hand for a test. '.repeat(12),
    ...(spec.time === undefined ? {} : { time: spec.time }),
    ...spec.fields,
  };
}

function label(spec: VersionSpec): DistLabel {
  const parsed = parseDistLabel(spec.version);
  if ('refusal' in parsed) throw new Error(parsed.refusal);
  return parsed.label;
}

function packageName(name: string): PackageName {
  const parsed = parsePackageName(name);
  if (parsed === undefined) throw new Error(`not a package name: ${name}`);
  return parsed;
}
