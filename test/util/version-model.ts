// What should become of one version under builds, rollbacks and prunes, in a few lines: the rules of DECISIONS.md said a second time, far from the code.
// Something that was cut off may have happened or not, so that what is known of a version is a set of the states it may be in.

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
}

interface Built extends VersionState {
  readonly refused: boolean;
}

export const unknownVersion: VersionState = { published: undefined, first: undefined, undone: undefined };

/** A build that could read the source. What is unpublishable leaves its version as it was; so does what was rolled back; a release never takes another content. */
export function afterBuild(state: VersionState, wanted: Wanted | undefined): Built {
  const { published, first, undone } = state;
  if (wanted === undefined) return undone === null ? { ...state, refused: false } : { ...state, published: undefined, refused: false };
  if (wanted.spoilt) return { ...state, refused: true };
  if (undone === wanted.content) return { ...state, refused: false };
  if (!wanted.dev && published !== wanted.content && (first ?? wanted.content) !== wanted.content) return { ...state, refused: true };
  return { published: wanted.content, first: wanted.dev ? undefined : wanted.content, undone: undefined, refused: false };
}

/** `then`: what the publication had that is gone back to. */
export function afterRollback(state: VersionState, then: Content | undefined): VersionState {
  const { published, undone } = state;
  if (published === then) return state;
  const next = undone === undefined ? (published ?? null) : undone === (then ?? null) ? undefined : undone;
  return { ...state, published: then, undone: next };
}

/** Where a rollback holds nothing any more. */
export function afterLift(state: VersionState): VersionState {
  return { ...state, undone: undefined };
}

/** The content that is not published is gone: the version is as if it had never been. */
export function afterPrune(state: VersionState): VersionState {
  return state.published === undefined ? { ...state, first: undefined } : state;
}

/** The step was cut off. A content may be known that was never offered, and what a rollback holds is announced last: so the state may be a mixture. */
export function perhaps(before: VersionState, after: VersionState): readonly VersionState[] {
  return distinct([before, after, { ...after, undone: before.undone }, { ...before, first: after.first }]);
}

export function distinct(states: readonly VersionState[]): readonly VersionState[] {
  return [...new Map(states.map(({ published, first, undone }) => [JSON.stringify([published ?? 0, first ?? 0, undone === undefined ? 0 : undone]), { published, first, undone }])).values()];
}
