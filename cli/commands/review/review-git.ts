// `libretto review --git FOLDER…`: how many releases of these repositories gained a decisive capability, so that a
// registry can try the rule on libraries of its choice before it applies it. Reads tags; no network, no checkout.

import { resolve } from 'node:path';
import { tagVersion } from '../../../build/contract/tag.ts';
import { isDevVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import { QuarantineError } from '../../../build/contract/quarantine.ts';
import {
  capabilitiesOf,
  decisiveKinds,
  describeCapability,
  type Capability,
} from '../../../build/review/capabilities.ts';
import { gainedByRelease, type Release } from '../../../build/review/gained-capabilities.ts';
import { ComposerFiles } from '../../../build/sources/git/composer-file.ts';
import { findGitDirectory } from '../../../build/sources/git/git-directory.ts';
import { listRefs } from '../../../build/sources/git/list-refs.ts';
import { openObjects, type ObjectStore } from '../../../build/sources/git/object-store.ts';
import { decodeRefName, type Ref } from '../../../build/sources/git/refs.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, formatTable, printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

const timeoutMs = 120_000;
const levels = ['patch', 'minor', 'major'] as const;
type Level = (typeof levels)[number];

interface Judged {
  readonly folder: string;
  readonly version: string;
  /** undefined: the first release */
  readonly level: Level | undefined;
  readonly gained: readonly Capability[];
}

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const judged: Judged[] = [];
  for (const folder of operands) judged.push(...(await judgeFolder(folder, context)));
  const held = judged.filter(({ gained }) => gained.length > 0);
  const counts = levels.map((level) => {
    const of = (all: readonly Judged[]): number => all.filter((one) => one.level === level).length;
    return { level, releases: of(judged), held: of(held) };
  });
  if (flags['json'] === true) printJson(context.stdout, { repositories: operands.length, counts, held });
  else
    printLines(context.stdout, [
      ...held.flatMap(({ folder, version, gained }) =>
        gained.map((one) => `${folder} ${version}: ${describeCapability(one)}`),
      ),
      `${counted(operands.length, 'repository', 'repositories')}:`,
      ...formatTable(
        ['Release', 'Number', 'Held', 'Share'],
        counts.map(({ level, releases, held: many }) => [
          level,
          String(releases),
          String(many),
          releases === 0 ? '-' : `${((many * 100) / releases).toFixed(2)} %`,
        ]),
      ),
    ]);
  return 0;
}

async function judgeFolder(folder: string, { workingDirectory, environment }: Context): Promise<readonly Judged[]> {
  const directory = findGitDirectory(resolve(workingDirectory, folder));
  if (directory === undefined)
    throw new UsageError(`${folder} is no git repository. Name the folder of a work tree, or of a bare repository.`);
  const { tags } = await listRefs(directory, environment, timeoutMs);
  const store = openObjects(directory.own, { environment, timeoutMs });
  try {
    const releases = await releasesOf(tags, store);
    const gained = gainedByRelease(releases, 0);
    return releases.map((release, at) => ({
      folder,
      version: release.version,
      level: levelOf(release.normalized, releases[at - 1]?.normalized),
      gained: (gained.get(release.normalized)?.gained ?? [])
        .filter(({ broughtBy, capability: { kind } }) => broughtBy === release && decisiveKinds.includes(kind))
        .map(({ capability }) => capability),
    }));
  } finally {
    await store.close();
  }
}

/** In the order of versions. Tags that Composer takes for no release are left out. */
async function releasesOf(tags: readonly Ref[], store: ObjectStore): Promise<readonly Release[]> {
  const files = new ComposerFiles(store);
  const found = new Map<NormalizedVersion, Release>();
  for (const tag of tags) {
    const version = tagVersion(decodeRefName(tag.name) ?? '');
    if ('skip' in version || isDevVersion(version.normalized) || found.has(version.normalized)) continue;
    const capabilities = await capabilitiesAt(tag, store, files).catch((error: unknown) => {
      if (error instanceof QuarantineError) return undefined;
      throw error;
    });
    if (capabilities !== undefined) found.set(version.normalized, { ...version, capabilities, arrivedMs: 0 });
  }
  return [...found.values()].toSorted((one, other) => compareNormalized(one.normalized, other.normalized));
}

async function capabilitiesAt(
  { oid, peeled }: Ref,
  store: ObjectStore,
  files: ComposerFiles,
): Promise<readonly Capability[] | undefined> {
  const commit = await store.peel(peeled ?? oid);
  if (commit === undefined) return undefined;
  const place = { commit, folder: '' };
  const blob = await files.find(place);
  const json = blob === undefined ? undefined : await files.read(blob, place, 'a tag');
  return json && capabilitiesOf(json);
}

/** Against the release below. */
function levelOf(version: NormalizedVersion, below: NormalizedVersion | undefined): Level | undefined {
  if (below === undefined) return undefined;
  const [now, before] = [version.split('.'), below.split('.')];
  if (now[0] !== before[0]) return 'major';
  return now[1] === before[1] ? 'patch' : 'minor';
}
