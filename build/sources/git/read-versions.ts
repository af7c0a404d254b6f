// All versions of a repository out of its refs: reads what is new or has moved, takes the rest from memory, and settles which of several
// refs for one version counts. The order is Composer's (VcsRepository.php, initialize): tags by name, then the default branch, then the other branches.

import type { PackageName } from '../../contract/name.ts';
import { packageNameOf } from '../../record/package-name.ts';
import { QuarantineError, type Quarantine } from '../quarantine.ts';
import type { Release } from '../release.ts';
import { ComposerFiles } from './composer-file.ts';
import { gitRelease } from './git-release.ts';
import type { ObjectStore } from './object-store.ts';
import type { GitMemory, KnownRef, Outcome } from './outcome.ts';
import { ReadAhead } from './read-ahead.ts';
import { describeRef, readRef, type RefKind, type RefReader } from './read-ref.ts';
import type { Ref, Refs } from './refs.ts';

export interface Versions {
  readonly releases: readonly Release[];
  readonly quarantined: readonly Quarantine[];
  readonly notices: readonly string[];
  readonly memory: GitMemory;
}

interface JudgedRef {
  readonly kind: RefKind;
  readonly ref: Ref;
  readonly isDefault: boolean;
  readonly outcome: Outcome;
  /** read now, not remembered */
  readonly fresh: boolean;
}

/** Throws GitFailure. */
export async function readVersions(refs: Refs, store: ObjectStore, previous: GitMemory | undefined): Promise<Versions> {
  const { branch: defaultBranch, notice } = findDefaultBranch(refs);
  const composerFiles = new ComposerFiles(store);
  const nameOid = defaultBranch?.oid ?? ('commit' in refs.head ? refs.head.commit : undefined);
  const defaultName = nameOid === undefined ? undefined : await readName(store, composerFiles, nameOid);
  const reader: RefReader = { store, composerFiles, defaultName };
  const known = previous?.name === (defaultName ?? null) ? previous.refs : new Map<string, KnownRef>();
  const branches = defaultBranch === undefined ? refs.branches : [defaultBranch, ...refs.branches.filter((branch) => branch !== defaultBranch)];
  const ordered = [...refs.tags.map((ref) => ({ kind: 'tag' as const, ref })), ...branches.map((ref) => ({ kind: 'branch' as const, ref }))];
  const judged = await Promise.all(
    ordered.map(async ({ kind, ref }): Promise<JudgedRef> => {
      const remembered = known.get(memoryKey(kind, ref));
      const fresh = remembered?.oid !== ref.oid;
      return { kind, ref, isDefault: ref === defaultBranch, fresh, outcome: fresh ? await readRef(reader, kind, ref) : remembered.outcome };
    }),
  );
  const assembled = assemble(reader, judged);
  return { ...assembled, notices: notice === undefined ? assembled.notices : [notice, ...assembled.notices], memory: { name: defaultName ?? null, refs: toMemory(judged) } };
}

/**
 * The branch HEAD points at. Where there is no such branch, Composer takes `master` for it (GitDriver.php, getRootIdentifier); with a
 * detached HEAD it takes none, and none is marked.
 */
function findDefaultBranch(refs: Refs): { readonly branch: Ref | undefined; readonly notice?: string } {
  const { head } = refs;
  if ('commit' in head) {
    return { branch: undefined, notice: `HEAD is detached at ${head.commit.slice(0, 12)}: no branch is marked as the default one. Check out the default branch if clients should prefer it.` };
  }
  const named = 'branch' in head ? refs.branches.find(({ name }) => name === head.branch) : undefined;
  if (named !== undefined) return { branch: named };
  const master = refs.branches.find(({ name }) => name === 'master');
  if (refs.branches.length === 0) return { branch: undefined };
  const what = 'branch' in head ? `HEAD points at the branch ${head.branch}, which does not exist` : 'The repository does not say which branch is its default one';
  return { branch: master, notice: `${what}: ${master === undefined ? 'no branch is marked as the default one' : 'master is taken as the default branch'}.` };
}

/** What is wrong with the default branch's composer.json is reported where the branch itself is read. */
async function readName(store: ObjectStore, composerFiles: ComposerFiles, oid: string): Promise<PackageName | undefined> {
  try {
    const commit = await store.peel(oid);
    const json = commit === undefined ? undefined : await composerFiles.read(commit, 'the default branch');
    return json === undefined ? undefined : packageNameOf(json);
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}

function assemble(reader: RefReader, judged: readonly JudgedRef[]): Omit<Versions, 'memory'> {
  const releases: Release[] = [];
  const quarantined: Quarantine[] = [];
  const notices: string[] = [];
  const taken = new Map<string, string>();
  const submodules: string[] = [];
  const readAhead = new ReadAhead(reader.store, judged.flatMap(({ fresh, outcome }) => (fresh && outcome.kind === 'release' ? [outcome.commit] : [])));
  for (const { kind, ref, isDefault, outcome } of judged) {
    const where = describeRef(kind, ref);
    if (outcome.kind === 'skipped') notices.push(outcome.notice);
    if (outcome.kind === 'quarantined') quarantined.push({ code: outcome.code, message: outcome.message, where, name: outcome.name, version: outcome.version });
    const release = outcome.kind === 'release' ? gitRelease(reader, readAhead, outcome, { where, defaultBranch: isDefault }) : undefined;
    if (release === undefined) continue;
    const identity = `${release.name} ${release.normalized}`;
    const first = taken.get(identity);
    if (first !== undefined) {
      notices.push(`${where}: it means the same version as ${first}, which counts`);
      continue;
    }
    taken.set(identity, where);
    releases.push(release);
    if (outcome.kind === 'release' && outcome.submodules) submodules.push(where);
  }
  if (submodules.length > 0) notices.push(`submodules are not part of an archive: they are left out of ${listShortly(submodules)}`);
  return { releases, quarantined, notices };
}

function listShortly(items: readonly string[]): string {
  return items.length <= 3 ? items.join(', ') : `${items.slice(0, 2).join(', ')} and ${items.length - 2} more`;
}

/** A broken object may be mended without any ref moving: not remembered. */
function toMemory(judged: readonly JudgedRef[]): Map<string, KnownRef> {
  const kept = judged.filter(({ outcome }) => !(outcome.kind === 'quarantined' && outcome.code === 'BROKEN_OBJECT'));
  return new Map(kept.map(({ kind, ref, outcome }) => [memoryKey(kind, ref), { oid: ref.oid, outcome }]));
}

function memoryKey(kind: RefKind, ref: Ref): string {
  return `${kind === 'tag' ? 't' : 'b'} ${ref.name}`;
}
