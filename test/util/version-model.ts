// A model of one version under builds, rollbacks and prunes: the rules of DECISIONS.md in a few lines, independent of
// the code. A step that was cut off may have happened or not. The model therefore holds the set of possible states of
// a version.

/** A name identifies a content; the model knows no bytes. */
export type Content = string;

/** The content of the source under the version. */
export interface Wanted {
  readonly content: Content;
  /** it cannot be published in its present form */
  readonly spoilt: boolean;
  readonly dev: boolean;
}

export interface VersionState {
  readonly published: Content | undefined;
  /** for a release: its first published content, as long as that is stored */
  readonly first: Content | undefined;
  /** the content that a rollback replaced, null where there was none; undefined: no rollback holds the version */
  readonly undone: Content | null | undefined;
  /** the source had no content under the version at the last build, after a rollback removed its content */
  readonly gone?: boolean;
  /** purged contents; any one of a release's contents blocks its label */
  readonly purged: readonly Content[];
}

interface Built extends VersionState {
  readonly refused: boolean;
}

export const unknownVersion: VersionState = { published: undefined, first: undefined, undone: undefined, purged: [] };

/**
 * A build that could read the source. Unpublishable content leaves its version as it was, and so does a rollback. A
 * release never takes other content.
 */
export function afterBuild(state: VersionState, wanted: Wanted | undefined): Built {
  const { published, first, undone, purged } = state;
  if (wanted === undefined && undone === null) return { ...state, refused: false };
  if (wanted === undefined) return { ...state, published: undefined, gone: undone !== undefined, refused: false };
  if (wanted.spoilt) return { ...state, refused: true };
  if (wanted.dev ? purged.includes(wanted.content) : purged.length > 0) return { ...state, refused: false };
  if (undone === wanted.content) return { ...state, gone: false, refused: false };
  const changes = published !== wanted.content && (first ?? wanted.content) !== wanted.content;
  if (!wanted.dev && changes) return { ...state, gone: false, refused: true };
  const kept = wanted.dev ? undefined : wanted.content;
  return { ...state, published: wanted.content, first: kept, undone: undefined, gone: false, refused: false };
}

/** `then`: the content in the publication that the rollback restores. */
export function afterRollback(state: VersionState, found: Content | undefined): VersionState {
  const { published, undone, gone = false, purged } = state;
  const then = found !== undefined && purged.includes(found) ? undefined : found;
  if (published === then) return state;
  if (gone && then !== undefined) return { ...state, published: then, undone: null, gone: false };
  const next = undone === undefined ? (published ?? null) : undone === (then ?? null) ? undefined : undone;
  return { ...state, published: then, undone: next };
}

/** Removes the hold of a rollback. */
export function afterLift(state: VersionState): VersionState {
  return { ...state, undone: undefined, gone: false };
}

/**
 * `content` is purged. A rollback that was cut off before may have published another content of a dev version, which
 * stays.
 */
export function afterPurge(state: VersionState, content: Content, dev: boolean): VersionState {
  const { published, undone, purged } = state;
  const contents = [...new Set([...purged, content])].toSorted();
  // a content that a rollback brought back is held only as long as it is published
  const next = undone === content || (undone === null && published === content) ? undefined : undone;
  if (dev && published !== content) return { ...state, undone: next, purged: contents };
  const gone = next !== undefined && state.gone === true;
  return { published: undefined, first: undefined, undone: next, gone, purged: contents };
}

/**
 * The step was cut off. A recorded content may never have been offered. The hold of a rollback is announced last. The
 * state may therefore be a mixture.
 */
export function possibleStates(before: VersionState, after: VersionState): readonly VersionState[] {
  return distinct([
    before,
    after,
    { ...after, undone: before.undone, gone: before.gone ?? false },
    { ...before, first: after.first },
  ]);
}

export function distinct(states: readonly VersionState[]): readonly VersionState[] {
  const known = new Map<string, VersionState>();
  for (const { published, first, undone, gone = false, purged } of states) {
    const key = [published ?? 0, first ?? 0, undone === undefined ? 0 : undone, gone, purged];
    known.set(JSON.stringify(key), { published, first, undone, gone, purged });
  }
  return [...known.values()];
}
