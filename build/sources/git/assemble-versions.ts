// Turns the outcome of each ref into releases, quarantined versions and notices.

import type { Signer } from '../../contract/signer.ts';
import type { Quarantine } from '../../contract/quarantine.ts';
import type { Release } from '../release.ts';
import type { ArchiveAccess } from './archived-files.ts';
import { gitRelease } from './git-release.ts';
import type { RefOutcome } from './outcome.ts';
import type { LfsPointers } from './lfs-pointers.ts';
import type { FetchedDists } from './fetched-dists.ts';
import { listShortly } from '../../shared/text/list-shortly.ts';
import { ReadAhead } from './read-ahead.ts';
import { describePlace, describeRef, type RefKind, type RefReader } from './read-ref.ts';
import type { Ref } from './refs.ts';

export interface Versions {
  readonly releases: readonly Release[];
  /** releases under a different name from their own composer.json (release.ts) */
  readonly former: readonly Release[];
  readonly quarantined: readonly Quarantine[];
  readonly notices: readonly string[];
}

export interface JudgedRef {
  readonly kind: RefKind;
  readonly ref: Ref;
  readonly isDefault: boolean;
  readonly outcomes: readonly RefOutcome[];
  /** this scan read the ref; false: the outcomes come from memory */
  readonly fresh: boolean;
}

export interface AssembleOptions {
  /** name of a tag, a binary string → who signed it */
  readonly signerOf: (tag: string) => Signer | undefined;
  readonly pointers: LfsPointers;
  readonly dists: FetchedDists | undefined;
  readonly reader: RefReader;
  readonly access: ArchiveAccess;
  /** the repository that records name in addition to the archive; undefined: none */
  readonly sourceUrl: string | undefined;
}

/** If several refs have one version, the first counts. */
export function assembleVersions(judged: readonly JudgedRef[], options: AssembleOptions): Versions {
  const assembly = new Assembly(options, new ReadAhead(options.reader.store, freshCommits(judged)));
  for (const one of judged) for (const outcome of one.outcomes) assembly.add(one, outcome);
  return assembly.finish();
}

type ReleaseOutcome = Extract<RefOutcome, { readonly kind: 'release' }>;

interface Place {
  readonly where: string;
  /** name of a tag or branch */
  readonly ref: string;
}

class Assembly {
  readonly #options: AssembleOptions;
  readonly #readAhead: ReadAhead;
  readonly #releases: Release[] = [];
  readonly #former: Release[] = [];
  readonly #quarantined: Quarantine[] = [];
  readonly #notices: string[] = [];
  /** name and version → the place of the release */
  readonly #taken = new Map<string, Place>();
  readonly #submodules: string[] = [];
  readonly #renames = new Map<string, string[]>();

  constructor(options: AssembleOptions, readAhead: ReadAhead) {
    this.#options = options;
    this.#readAhead = readAhead;
  }

  add(judged: JudgedRef, outcome: RefOutcome): void {
    if (outcome.kind === 'skipped') {
      this.#notices.push(outcome.notice);
      return;
    }
    const where = describePlace(describeRef(judged.kind, judged.ref), outcome.folder);
    if (outcome.kind === 'release') this.#addRelease(judged, outcome, where);
    else {
      const { code, message, name, version } = outcome;
      this.#quarantined.push({ code, message, where, name, version });
    }
  }

  #addRelease({ kind, ref, isDefault }: JudgedRef, outcome: ReleaseOutcome, where: string): void {
    const signer = kind === 'tag' ? this.#options.signerOf(ref.name) : undefined;
    const { readAhead, options } = { readAhead: this.#readAhead, options: this.#options };
    const context = { ...options, readAhead, kind, ref, where, defaultBranch: isDefault, signer };
    const release = gitRelease(outcome, context);
    if (release === undefined) return;
    const identity = `${release.name} ${release.normalized}`;
    const first = this.#taken.get(identity);
    if (first !== undefined) {
      this.#addCopy(release, first, { where, ref: ref.name, folder: outcome.folder });
      return;
    }
    this.#taken.set(identity, { where, ref: ref.name });
    this.#releases.push(release);
    if (outcome.submodules) this.#submodules.push(where);
    if (outcome.formerName === undefined) return;
    const renamed = `${outcome.formerName} ${release.name}`;
    this.#renames.set(renamed, [...(this.#renames.get(renamed) ?? []), where]);
    const underFormer = gitRelease({ ...outcome, name: outcome.formerName }, context);
    if (underFormer !== undefined) this.#former.push(underFormer);
  }

  /** Two refs may mean one version. Two folders of one ref with one name are a mistake: the second is left out. */
  #addCopy(
    { name, version }: Release,
    first: Place,
    { where, ref, folder }: Place & { readonly folder: string },
  ): void {
    const message = `it means the same version of ${name} as ${first.where}, which counts.`;
    if (ref !== first.ref) this.#notices.push(`${where}: ${message}`);
    else {
      const remedy = `${message} Give the composer.json of ${folder} a "name" of its own.`;
      this.#quarantined.push({ code: 'DUPLICATE_VERSION', message: remedy, where, name, version });
    }
  }

  finish(): Versions {
    const submodules =
      this.#submodules.length === 0
        ? []
        : [`archives do not contain submodules: ${listShortly(this.#submodules)} are published without them`];
    return {
      releases: this.#releases,
      former: this.#former.filter(({ name, normalized }) => !this.#taken.has(`${name} ${normalized}`)),
      quarantined: this.#quarantined,
      notices: [...this.#notices, ...submodules, ...describeRenames(this.#renames)],
    };
  }
}

function freshCommits(judged: readonly JudgedRef[]): readonly string[] {
  return [
    ...new Set(
      judged.flatMap(({ fresh, outcomes }) =>
        fresh ? outcomes.flatMap((outcome) => (outcome.kind === 'release' ? [outcome.commit] : [])) : [],
      ),
    ),
  ];
}

/**
 * Composer and Libretto use the name in the default branch for all versions. The notice informs the user before a
 * client misses a package.
 */
function describeRenames(renames: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return Array.from(renames, ([names, where]) => {
    const [former = '', name = ''] = names.split(' ');
    return (
      `composer.json names the package ${former} in ${listShortly(where)}. These versions are published as ` +
      `${name}, the name in the default branch. Versions already published as ${former} stay published until ` +
      `"except" in libretto.json names ${former}.`
    );
  });
}
