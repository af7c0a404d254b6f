// A model of one version under builds, rollbacks and prunes: the rules of DECISIONS.md in a few lines, independent of
// the code. A step that was cut off may have happened or not. The model therefore holds the set of possible states of
// a version.

/** A content is known by its name; the bytes it becomes are not the model's concern. */
export type Content = string;

/** What the source has under the version. */
export interface Wanted {
  readonly content: Content;
  /** it may not be published as it is */
  readonly spoilt: boolean;
  readonly dev: boolean;
}

export interface VersionState {
  readonly published: Content | undefined;
  /** of a release: what it was first published with, as long as that is kept */
  readonly first: Content | undefined;
  /** what a rollback took the place of, null where that was nothing; undefined: no rollback holds the version */
  readonly undone: Content | null | undefined;
  /** the source had nothing under the version when a build last saw it, after a rollback took its content away */
  readonly gone?: boolean;
  /** contents that were purged; of a release any one of them stands for its label */
  readonly purged: readonly Content[];
}

interface Built extends VersionState {
  readonly refused: boolean;
}

export const unknownVersion: VersionState = { published: undefined, first: undefined, undone: undefined, purged: [] };

/**
 * A build that could read the source. What is unpublishable leaves its version as it was; so does what was rolled back;
 * a release never takes another content.
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

/** `then`: what the publication had that is gone back to. */
export function afterRollback(state: VersionState, found: Content | undefined): VersionState {
  const { published, undone, gone = false, purged } = state;
  const then = found !== undefined && purged.includes(found) ? undefined : found;
  if (published === then) return state;
  if (gone && then !== undefined) return { ...state, published: then, undone: null, gone: false };
  const next = undone === undefined ? (published ?? null) : undone === (then ?? null) ? undefined : undone;
  return { ...state, published: then, undone: next };
}

/** Where a rollback holds nothing any more. */
export function afterLift(state: VersionState): VersionState {
  return { ...state, undone: undefined, gone: false };
}

/** What is published is gone, and never comes back; of a release nothing else does either. */
export function afterPurge(state: VersionState): VersionState {
  const { published, undone, purged } = state;
  if (published === undefined) return state;
  const next = undone === published ? undefined : undone;
  const gone = next !== undefined && state.gone === true;
  const contents = [...new Set([...purged, published])].toSorted();
  return { published: undefined, first: undefined, undone: next, gone, purged: contents };
}

/**
 * The step was cut off. A content may be known that was never offered, and what a rollback holds is announced last: so
 * the state may be a mixture.
 */
export function perhaps(before: VersionState, after: VersionState): readonly VersionState[] {
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
