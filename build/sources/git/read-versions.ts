// Reads all versions of a repository from its refs. New and moved refs are read from git, all others are taken from
// memory. The order is Composer's (VcsRepository.php, initialize): tags by name, then the default branch, then the
// other branches.

import type { PackageName } from '../../contract/name.ts';
import { packageNameOf } from '../../record/package-name.ts';
import type { Signer } from '../../contract/signer.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { assembleVersions, type AssembleOptions, type JudgedRef, type Versions } from './assemble-versions.ts';
import { ComposerFiles } from './composer-file.ts';
import type { FetchedDists } from './fetched-dists.ts';
import { matchFolders } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { GitMemory, RefOutcomes, RefOutcome } from './outcome.ts';
import { readRef, type RefKind, type RefReader } from './read-ref.ts';
import { decodeRefName, type Ref, type Refs } from './refs.ts';
import { variantOf, type GitSelection } from './selection.ts';
import type { JudgedTags, SignatureOptions } from './signed-tags.ts';

export type RepositoryVersionsOptions = Omit<AssembleOptions, 'reader' | 'signerOf' | 'dists'> & {
  readonly selection: GitSelection;
  /** undefined: no signature is judged */
  readonly signatures?: SignatureOptions | undefined;
  readonly repository: string | undefined;
  /** opens the cache of dists; undefined: dists are not fetched */
  readonly openDists: (() => Promise<FetchedDists>) | undefined;
};

export interface RepositoryVersions extends Versions {
  readonly memory: GitMemory;
  /** signatures and dists that a later build has to ask for again */
  readonly unsettled: number;
}

/** Throws GitFailure, and FetchNeeded for a dist that has to be fetched. */
export async function readRepositoryVersions(
  refs: Refs,
  store: ObjectStore,
  previous: GitMemory | undefined,
  options: RepositoryVersionsOptions,
): Promise<RepositoryVersions> {
  const { selection } = options;
  const variant = variantOf(selection);
  const { branch: defaultBranch, notice } = findDefaultBranch(refs);
  const composerFiles = new ComposerFiles(store);
  const nameOid = defaultBranch?.oid ?? ('commit' in refs.head ? refs.head.commit : undefined);
  const names =
    nameOid === undefined ? new Map<string, PackageName>() : await readNames(store, composerFiles, nameOid, selection);
  const reader: RefReader = { store, composerFiles, names, selection, repository: options.repository };
  const known = previous?.variant === variant ? previous : undefined;
  const read = await Promise.all(
    inOrder(refs, defaultBranch).map(async ({ kind, ref }): Promise<JudgedRef> => {
      const remembered = known?.refs.get(memoryKey(kind, ref));
      const isDefault = ref === defaultBranch;
      if (remembered !== undefined && remembered.oid === ref.oid && holds(remembered, known, names))
        return { kind, ref, isDefault, fresh: false, outcomes: remembered.outcomes };
      return { kind, ref, isDefault, fresh: true, outcomes: await readRef(reader, kind, ref) };
    }),
  );
  const { judged, dists } = await settleDists(read, options.openDists);
  const signed = await judgeSignatures(judged, previous, options.signatures);
  const signerOf = (tag: string): Signer | undefined => signed?.signatures.tags.get(tag)?.signer ?? undefined;
  const assembled = assembleVersions(judged, { ...options, reader, dists, signerOf });
  return {
    ...assembled,
    notices: [...(notice === undefined ? [] : [notice]), ...assembled.notices],
    memory: { variant, names, refs: toMemory(judged), signatures: signed?.signatures },
    unsettled: (signed?.unverified ?? 0) + judged.filter(isPassing).length,
  };
}

function inOrder(
  { tags, branches }: Refs,
  defaultBranch: Ref | undefined,
): readonly { readonly kind: RefKind; readonly ref: Ref }[] {
  const others = branches.filter((branch) => branch !== defaultBranch);
  return [
    ...tags.map((ref) => ({ kind: 'tag' as const, ref })),
    ...(defaultBranch === undefined ? others : [defaultBranch, ...others]).map((ref) => ({
      kind: 'branch' as const,
      ref,
    })),
  ];
}

/** Throws FetchNeeded if a dist was not asked for yet. A build opens the dists only for a version that names one. */
async function settleDists(
  read: readonly JudgedRef[],
  open: RepositoryVersionsOptions['openDists'],
): Promise<{ readonly judged: readonly JudgedRef[]; readonly dists?: FetchedDists }> {
  const isNamed = (outcome: RefOutcome): boolean => outcome.kind === 'release' && outcome.dist !== undefined;
  if (open === undefined || !read.some(({ outcomes }) => outcomes.some(isNamed))) return { judged: read };
  const dists = await open();
  const settled = read.map(async (one) => ({ ...one, outcomes: await Promise.all(one.outcomes.map(dists.settle)) }));
  return { judged: await Promise.all(settled), dists };
}

function isPassing({ outcomes }: JudgedRef): boolean {
  return outcomes.some((outcome) => outcome.kind === 'quarantined' && outcome.passing === true);
}

/** undefined: the registry knows no signers. A build loads the module only with signers. */
async function judgeSignatures(
  judged: readonly JudgedRef[],
  previous: GitMemory | undefined,
  options: SignatureOptions | undefined,
): Promise<JudgedTags | undefined> {
  if (options === undefined) return undefined;
  return (await import('./signed-tags.ts')).judgeTags(judged, previous?.signatures, options);
}

/** A version was read under the name that its folder then had. */
function holds(
  { outcomes }: RefOutcomes,
  known: GitMemory | undefined,
  names: ReadonlyMap<string, PackageName>,
): boolean {
  return outcomes.every(
    (outcome) => outcome.kind === 'skipped' || known?.names.get(outcome.folder) === names.get(outcome.folder),
  );
}

/**
 * The branch of HEAD. If it does not exist, Composer uses `master` (GitDriver.php, getRootIdentifier); with a detached
 * HEAD no branch is marked.
 */
function findDefaultBranch(refs: Refs): { readonly branch: Ref | undefined; readonly notice?: string } {
  const { head } = refs;
  if ('leftOut' in head) return { branch: undefined };
  if ('commit' in head) {
    return {
      branch: undefined,
      notice:
        `HEAD is detached at ${head.commit.slice(0, 12)}: no branch is marked as the default one. Check out the ` +
        'default branch if clients should prefer it.',
    };
  }
  const named = 'branch' in head ? refs.branches.find(({ name }) => name === head.branch) : undefined;
  if (named !== undefined) return { branch: named };
  const master = refs.branches.find(({ name }) => name === 'master');
  if (refs.branches.length === 0) return { branch: undefined };
  const what =
    'branch' in head
      ? `HEAD points at the branch ${decodeRefName(head.branch) ?? JSON.stringify(head.branch)}, which does not exist`
      : 'The repository does not say which branch is its default one';
  return {
    branch: master,
    notice:
      `${what}: ` +
      `${master === undefined ? 'no branch is marked as the default one' : 'master is taken as the default branch'}.`,
  };
}

/** Names by folder. Faults in the default branch's composer.json are reported with the branch itself. */
async function readNames(
  store: ObjectStore,
  composerFiles: ComposerFiles,
  oid: string,
  { subdirectories }: GitSelection,
): Promise<ReadonlyMap<string, PackageName>> {
  const commit = await orNothing(() => store.peel(oid));
  if (commit === undefined) return new Map();
  const folders =
    subdirectories === undefined
      ? ['']
      : ((await orNothing(async () =>
          matchFolders(store, (await store.commit(commit)).tree, subdirectories, 'composer.json'),
        )) ?? []);
  const named = await Promise.all(
    folders.map((folder) =>
      orNothing(async () => {
        const place = { commit, folder };
        const file = await composerFiles.find(place);
        const json = file === undefined ? undefined : await composerFiles.read(file, place, 'the default branch');
        return json === undefined ? undefined : ([folder, packageNameOf(json)] as const);
      }),
    ),
  );
  return new Map(named.filter((pair) => pair !== undefined));
}

async function orNothing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}

/** Omits broken objects and failed dists, since a repair may move no ref. */
function toMemory(judged: readonly JudgedRef[]): Map<string, RefOutcomes> {
  const intact = judged.filter((one) => !isPassing(one));
  return new Map(intact.map(({ kind, ref, outcomes }) => [memoryKey(kind, ref), { oid: ref.oid, outcomes }]));
}

function memoryKey(kind: RefKind, ref: Ref): string {
  return `${kind === 'tag' ? 't' : 'b'} ${ref.name}`;
}
