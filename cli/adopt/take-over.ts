// Goes through the packages of another registry: compares their versions with those here, fetches the archives of new
// ones, and writes them as a tree. What cannot be taken over is noted with the reason, and ends nothing else.

import pLimit from 'p-limit';
import type { JsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { QuarantineError } from '../../build/contract/quarantine.ts';
import type { Output } from '../../build/output/output.ts';
import { endTree, writeTreePackage } from '../../build/receive/write-tree.ts';
import { runBatch } from '../../build/shared/concurrency/batch.ts';
import { matchName } from '../../build/shared/patterns/package-pattern.ts';
import { MirroringFailure } from '../../proxy/core/protocol/mirrored-packages.ts';
import { inOrder, type Findings } from './adoption-report.ts';
import {
  comparePackage,
  none,
  onlyHere,
  onlyThere,
  packagesHere,
  type PackageFindings,
  type PackageHere,
} from './compare-package.ts';
import { atOnce, type RemoteRegistry } from './remote-registry.ts';
import { hasOwnArchive, keyOf, stagedOf, takeArchive, type TakenVersion } from './staged-archives.ts';

export interface TakeOverOptions {
  readonly registry: Pick<RemoteRegistry, 'offered' | 'addressesOf' | 'download'>;
  readonly output: Output;
  /** of the tree */
  readonly folder: string;
  /** id of the registry, as a source here */
  readonly source: string;
  /** true: nothing is fetched but documents, and nothing is written */
  readonly plan: boolean;
  /** the patterns of names that were asked for */
  readonly only: readonly string[] | undefined;
  /** the git repositories there are registered afterwards */
  readonly registersSources: boolean;
  readonly now: () => Date;
  readonly progress: (now: { readonly done: number; readonly total: number; readonly label: string }) => void;
  /** receives the versions of each package there */
  readonly onOffered: (name: PackageName, records: readonly JsonObject[]) => void;
}

/**
 * `unlisted`: packages of this registry that the other one does not list. Throws BuildRefused for a registry that
 * stopped answering, and for a damaged list of withdrawn versions.
 */
export async function takeOver(
  names: readonly string[],
  unlisted: readonly PackageName[],
  options: TakeOverOptions,
): Promise<Findings> {
  const { plan, only = [], folder, now, progress } = options;
  const hereOf = await packagesHere(options.output, options.source);
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
  const answered = names.filter((_, at) => found[at]?.versions || found[at]?.differences.length);
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
    unmatched: only.filter((pattern) => !answered.some(matchName(pattern))),
  };
}

/** `text`: what the list there has in place of a name. */
function unnamed(text: string): PackageFindings {
  return { ...none, differences: [onlyThere(text.slice(0, longestName), null, 'Composer does not accept this name')] };
}

const longestName = 128;

async function takePackage(
  here: PackageHere,
  limit: ReturnType<typeof pLimit>,
  { registry, plan, folder, now, onOffered, registersSources }: TakeOverOptions,
): Promise<PackageFindings> {
  const { name } = here;
  const offered = await orReason(registry.offered(name));
  if (typeof offered === 'string') return { ...none, differences: [onlyThere(name, null, offered)] };
  onOffered(name, offered.records);
  const staged = await stagedOf(folder, name);
  const { fresh, ...compared } = comparePackage(offered, here, staged, registersSources);
  const tried = await Promise.all(
    fresh.map((version) =>
      orReason<TakenVersion | undefined>(
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
  const whole = tried.filter((one): one is TakenVersion => typeof one === 'object');
  if (whole.length > 0) await writeTreePackage(folder, name, whole, now());
  const files = plan
    ? possible.flatMap((version) => staged.get(keyOf(version)) ?? [])
    : whole.filter(({ isFetched }) => isFetched);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { ...compared, taken, differences, fetched: files.length, fetched_bytes: bytes };
}

/** The reason why a version or a package cannot be had. Other errors are thrown. */
async function orReason<Value>(work: Promise<Value>): Promise<Value | string> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof MirroringFailure || error instanceof QuarantineError)) throw error;
    return error.message.replace(/\.$/, '');
  }
}
