// Compares a composer.lock with the tree: finds packages that are missing, withdrawn, or have other bytes now. Reads
// only the tree.

import { parsePackageName, type PackageName } from '../contract/name.ts';
import { indexPath } from '../contract/paths.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from '../contract/serving-index.ts';
import { normalizeVersion } from '../contract/version.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { hasArchive } from '../package/lost-archives.ts';

/** One package of a lock file. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** dist.reference; null if the lock has none */
  readonly reference: string | null;
  /** dist.shasum; null if the lock has none */
  readonly shasum: string | null;
  /** hosts its archive may be fetched from, as host or host:port */
  readonly hosts: readonly string[];
}

/**
 * `missing`: the locked bytes are unavailable here. `withdrawn`: the bytes are available, but the version is no longer
 * published. `changed`: the version has other content now.
 */
export type ImpactKind = 'missing' | 'withdrawn' | 'changed';

export interface Impact {
  readonly name: string;
  readonly version: string;
  readonly reference: string | null;
  readonly kind: ImpactKind;
  /** true: an install from the lock still gets the locked bytes */
  readonly installable: boolean;
  readonly message: string;
}

export interface ImpactReport {
  /** packages of this registry among the locked */
  readonly checked: number;
  /** packages of others */
  readonly elsewhere: number;
  readonly impacts: readonly Impact[];
}

/**
 * `host`: of this registry; then packages that are fetched from there count too, known here or not. Throws BuildRefused
 * for a damaged index.
 */
export async function impactOf(
  dataDirectory: string,
  packages: readonly LockedPackage[],
  host: string | undefined,
): Promise<ImpactReport> {
  const output = createDiskOutput(dataDirectory);
  const indexes = new Map<PackageName, PackageIndex | undefined>();
  const impacts: Impact[] = [];
  let checked = 0;
  for (const locked of packages) {
    const name = parsePackageName(locked.name.toLowerCase());
    if (name !== undefined && !indexes.has(name)) indexes.set(name, await readIndex(output, name));
    const index = name === undefined ? undefined : indexes.get(name);
    if (index === undefined && (host === undefined || !locked.hosts.includes(host))) continue;
    checked += 1;
    const found = await judge(output, locked, index);
    if (found !== undefined)
      impacts.push({ name: locked.name, version: locked.version, reference: locked.reference, ...found });
  }
  return { checked, elsewhere: packages.length - checked, impacts };
}

async function readIndex(output: Output, name: PackageName): Promise<PackageIndex | undefined> {
  const path = `index/${indexPath(name)}`;
  const text = await output.read('index', indexPath(name));
  if (text === undefined) return undefined;
  const index = parseOwnFile(path, () => parsePackageIndex(text));
  if (index?.name === name) return index;
  throw new BuildRefused(
    `${path} is damaged, so the versions of ${name} are unknown. \`libretto verify\` names the repair.`,
  );
}

type Finding = Pick<Impact, 'kind' | 'installable' | 'message'>;

async function judge(
  output: Output,
  { version, reference, shasum }: LockedPackage,
  index: PackageIndex | undefined,
): Promise<Finding | undefined> {
  const normalized = normalizeVersion(version);
  const contents = (index?.versions ?? []).filter(
    (entry) => entry.version === version || entry.version_normalized === normalized,
  );
  const current = contents.find(({ state }) => state === 'published');
  // a lock without a reference accepts any content of the version
  const locked = reference === null ? current : contents.find((entry) => entry.reference === reference);
  if (locked === undefined) return gone(index, contents, current);
  if (!(await hasArchive(output, locked)))
    return {
      kind: 'missing',
      installable: false,
      message: 'Its archive is missing from the tree; `libretto verify` names the file.',
    };
  if (shasum !== null && shasum !== locked.shasum)
    return {
      kind: 'changed',
      installable: false,
      message: `Its archive has the SHA-1 ${locked.shasum} here, the lock names ${shasum}.`,
    };
  if (locked.state === 'published') return undefined;
  const still = `The locked content can be installed until \`libretto prune\` removes it.`;
  if (current === undefined)
    return { kind: 'withdrawn', installable: true, message: `The version was withdrawn at ${locked.since}. ${still}` };
  return {
    kind: 'changed',
    installable: true,
    message: `The version is ${current.reference.slice(0, 12)} since ${current.since}. ${still}`,
  };
}

function gone(
  index: PackageIndex | undefined,
  contents: readonly IndexEntry[],
  current: IndexEntry | undefined,
): Finding {
  if (index === undefined) return { kind: 'missing', installable: false, message: 'The package is not known here.' };
  if (contents.length === 0) return { kind: 'missing', installable: false, message: 'The version is not known here.' };
  const now = current === undefined ? '' : `; the version is ${current.reference.slice(0, 12)} now`;
  return { kind: 'missing', installable: false, message: `The locked content is not here${now}.` };
}
