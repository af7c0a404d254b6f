// Goes through the packages of another registry: compares their versions with those here, fetches the archives of new
// ones, and writes them as a tree. What cannot be taken over is noted with the reason, and ends nothing else.

import pLimit from 'p-limit';
import { parseReference } from '../../build/contract/digest.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { lookUpPurged, type PurgedLookup } from '../../build/contract/purged.ts';
import { QuarantineError } from '../../build/contract/quarantine.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import type { Output } from '../../build/output/output.ts';
import { readOwnIndex } from '../../build/output/parse-own-file.ts';
import { listPurged } from '../../build/package/purged.ts';
import { endTree, writeTreePackage, type TreeVersion } from '../../build/receive/write-tree.ts';
import { runBatch } from '../../build/shared/concurrency/batch.ts';
import { listWithheld } from '../../build/version-lists/withheld.ts';
import { MirroringFailure } from '../../proxy/core/protocol/mirrored-packages.ts';
import type { Offered, OfferedVersion } from '../../proxy/mirror/versions/offered-version.ts';
import { inOrder, type Difference, type Findings } from './adoption-report.ts';
import { atOnce, type RemoteRegistry, type VersionWithDist } from './remote-registry.ts';
import { hasOwnArchive, keyOf, stagedOf, takeArchive, withArchive } from './staged-archives.ts';

export interface TakeOverOptions {
  readonly registry: Pick<RemoteRegistry, 'offered' | 'addressesOf' | 'download'>;
  readonly output: Output;
  /** of the tree */
  readonly folder: string;
  /** id of the registry, as a source here */
  readonly source: string;
  /** true: nothing is fetched but documents, and nothing is written */
  readonly plan: boolean;
  readonly now: () => Date;
  readonly progress: (now: { readonly done: number; readonly total: number; readonly label: string }) => void;
  /** receives the versions of each package there */
  readonly onOffered: (name: PackageName, records: readonly JsonObject[]) => void;
}

/** What this registry has of one package. */
interface PackageHere {
  readonly name: PackageName;
  /** its published versions, by normalized version */
  readonly published: ReadonlyMap<string, IndexEntry>;
  /** normalized versions that people withdrew */
  readonly withheld: ReadonlySet<string>;
  readonly blocks: PurgedLookup['blocks'];
  /** id of the other registry, as the source of versions here */
  readonly source: string;
}

/** `isHere` false: it can be published here. */
type Standing = { readonly isHere: boolean } | { readonly kind: 'differs' | 'only-there'; readonly because: string };

type PackageFindings = Omit<Findings, 'packages'>;

const nothing: PackageFindings = { versions: 0, here: 0, taken: [], fetched: 0, fetched_bytes: 0, differences: [] };

/**
 * `unlisted`: packages of this registry that the other one does not list. Throws BuildRefused for a registry that
 * stopped answering, and for a damaged list of withdrawn versions.
 */
export async function takeOver(
  names: readonly string[],
  unlisted: readonly PackageName[],
  options: TakeOverOptions,
): Promise<Findings> {
  const { plan, folder, now, progress } = options;
  const hereOf = await reader(options);
  const limit = pLimit(atOnce);
  let done = 0;
  const found = await runBatch(names, atOnce, async (text) => {
    const name = parsePackageName(text);
    const one = name ? await takePackage(await hereOf(name), limit, options) : unnamed(text);
    progress({ done: (done += 1), total: names.length, label: text.slice(0, longestName) });
    return one;
  });
  const gone = await runBatch(unlisted, atOnce, async (name) => onlyHere(await hereOf(name), []));
  const written = names.flatMap((name, at) => (found[at]?.taken.length && parsePackageName(name)) || []);
  if (!plan) await endTree(folder, written, now());
  const sum = (field: 'versions' | 'here' | 'fetched' | 'fetched_bytes'): number =>
    found.reduce((all, one) => all + one[field], 0);
  return {
    packages: names.length,
    versions: sum('versions'),
    here: sum('here'),
    taken: inOrder(found.flatMap(({ taken }) => taken)),
    fetched: sum('fetched'),
    fetched_bytes: sum('fetched_bytes'),
    differences: inOrder([...found.flatMap(({ differences }) => differences), ...gone.flat()]),
  };
}

/** `text`: what the list there has in place of a name. */
function unnamed(text: string): PackageFindings {
  return {
    ...nothing,
    differences: [onlyThere(text.slice(0, longestName), null, 'Composer does not accept this name')],
  };
}

const longestName = 128;

/** Reads what this registry has of a package. */
async function reader({ output, source }: TakeOverOptions): Promise<(name: PackageName) => Promise<PackageHere>> {
  const withheld = await listWithheld(output);
  const { blocks } = lookUpPurged(await listPurged(output));
  return async (name) => {
    const index = await readOwnIndex(output, name);
    const published = (index?.versions ?? []).filter(({ state }) => state === 'published');
    return {
      name,
      published: new Map(published.map((entry) => [entry.version_normalized, entry])),
      withheld: new Set(withheld.flatMap((row) => (row.name === name ? [row.version_normalized] : []))),
      blocks,
      source,
    };
  };
}

async function takePackage(
  here: PackageHere,
  limit: ReturnType<typeof pLimit>,
  { registry, plan, folder, now, onOffered }: TakeOverOptions,
): Promise<PackageFindings> {
  const { name } = here;
  const offered = await orReason(registry.offered(name));
  if (typeof offered === 'string') return { ...nothing, differences: [onlyThere(name, null, offered)] };
  onOffered(name, offered.records);
  const { fresh, ...compared } = compare(offered, here);
  const staged = await stagedOf(folder, name);
  const tried = await Promise.all(
    fresh.map((version) =>
      orReason<TreeVersion | undefined>(
        plan
          ? (hasOwnArchive(version) ? registry.addressesOf(name, version) : Promise.resolve()).then(() => undefined)
          : limit(() => takeArchive(folder, registry, name, version, staged)),
      ),
    ),
  );
  const failed = tried.flatMap((one, at) =>
    typeof one === 'string' ? [onlyThere(name, fresh[at]?.version ?? null, one)] : [],
  );
  const differences = [...compared.differences, ...failed];
  const possible = fresh.filter((_, at) => typeof tried[at] !== 'string');
  const taken = possible.map(({ version }) => ({ name, version }));
  const whole = tried.filter((one): one is TreeVersion => typeof one === 'object');
  if (whole.length > 0) await writeTreePackage(folder, name, whole, now());
  if (!plan) return { ...compared, taken, differences };
  const files = possible.flatMap((version) => staged.get(keyOf(version)) ?? []);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { ...compared, taken, differences, fetched: files.length, fetched_bytes: bytes };
}

/** `fresh`: versions that are new, and can be published beside each other. */
function compare(
  { versions, leftOut }: Offered,
  here: PackageHere,
): PackageFindings & { readonly fresh: readonly VersionWithDist[] } {
  const { name } = here;
  const fresh = new Map<string, VersionWithDist>();
  const differences: Difference[] = leftOut.map(({ version, reason, because }) =>
    onlyThere(name, version, `${because.split('; ', 1)[0] ?? ''}${adviceFor[reason] ?? ''}`),
  );
  let same = 0;
  for (const one of versions.map(withArchive)) {
    const { version, normalized } = one;
    const standing = standingOf(one, here);
    const twin = fresh.get(normalized);
    if (twin !== undefined)
      differences.push(onlyThere(name, version, `${twin.version} is the same version to Composer`));
    else if ('kind' in standing) differences.push({ name, version, ...standing });
    else if (standing.isHere) same += 1;
    else fresh.set(normalized, one);
  }
  return {
    ...nothing,
    versions: versions.length + leftOut.length,
    here: same,
    differences: [...differences, ...onlyHere(here, versions)],
    fresh: [...fresh.values()],
  };
}

/** A version that is published here stays as it is. Only a dev version of this very registry moves on. */
function standingOf({ normalized, dev, dist }: VersionWithDist, here: PackageHere): Standing {
  const reference = parseReference(dist.reference);
  if (here.withheld.has(normalized)) return { kind: 'only-there', because: 'it was withdrawn here by hand' };
  if (here.blocks(here.name, { normalized, reference: reference ?? '' }) !== undefined)
    return { kind: 'only-there', because: 'it was purged here' };
  const current = here.published.get(normalized);
  if (current === undefined) return { isHere: false };
  const change = changeOf(reference, dist.shasum, current, dev);
  if (change === undefined) return { isHere: true };
  return dev && current.source === here.source ? { isHere: false } : { kind: 'differs', because: change };
}

/** A dev version may be packed again: its reference alone says what is in it. */
function changeOf(
  reference: string | undefined,
  shasum: string | undefined,
  current: IndexEntry,
  dev: boolean,
): string | undefined {
  if (reference !== undefined && reference !== current.reference)
    return `its reference is ${short(reference)} there and ${short(current.reference)} here`;
  if (shasum === undefined || shasum === current.shasum || (dev && reference !== undefined)) return undefined;
  return `its archive has the SHA-1 ${short(shasum)} there and ${short(current.shasum)} here`;
}

function short(digest: string): string {
  return digest.slice(0, 12);
}

function onlyHere({ name, published, source }: PackageHere, versions: readonly OfferedVersion[]): Difference[] {
  const there = new Set<string>(versions.map(({ normalized }) => normalized));
  return [...published.values()]
    .filter((entry) => entry.source === source && !there.has(entry.version_normalized))
    .map(({ version }) => ({ kind: 'only-here', name, version, because: null }));
}

function onlyThere(name: string, version: string | null, because: string): Difference {
  return { kind: 'only-there', name, version, because };
}

const adviceFor: Readonly<Record<string, string>> = {
  'no-dist': '. Build it from its repository: --register-sources',
  'dist-type': ', and only ZIP archives are published',
};

/** The reason why a version or a package cannot be had. Other errors are thrown. */
async function orReason<Value>(work: Promise<Value>): Promise<Value | string> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof MirroringFailure || error instanceof QuarantineError)) throw error;
    return error.message.replace(/\.$/, '');
  }
}
