// The port to packages of other registries. The tree asks it for packages that are not published here.

import type { PackageName } from '../../build/contract/name.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import type { Conditions } from '../http/representation.ts';
import type { ReleaseFilter, View } from '../views/view.ts';

/** When something is asked. */
export interface Moment {
  readonly nowMs: number;
  /** grows when a publication may have made other names private */
  readonly epoch: number;
}

export interface MirrorPreferences extends Conditions {
  readonly acceptEncoding: string | undefined;
}

/** A version as a request names it. */
export interface Asked {
  readonly name: PackageName;
  /** what the label may mean, most literal first */
  readonly labels: readonly string[];
  /** undefined: the newest content */
  readonly reference: string | undefined;
}

/** Who asks, and what of this package they see: never 'none'. */
export interface Viewer {
  readonly view: View | undefined;
  readonly filter: ReleaseFilter;
}

/** Says nothing of names that are not mirrored, and asks nobody about them. */
export interface MirroredPackages {
  /** Whether anything is mirrored, so that clients have reason to ask for names that are not listed. */
  readonly isOn: () => MaybeAsync<boolean>;
  /**
   * Whether it was found, as of this publication and no other, that there is no such package here (I17): then nobody
   * need look on disk again.
   */
  readonly isElsewhere: (name: PackageName, moment: Moment) => boolean;
  /** undefined: there is no such document, or none that is seen. */
  readonly provider: (
    name: PackageName,
    stability: 'stable' | 'dev',
    preferences: MirrorPreferences,
    viewer: Viewer,
    moment: Moment,
  ) => MaybeAsync<Answer | undefined>;
  /** undefined: there is no such archive, or none that is seen. */
  readonly archive: (
    asked: Asked,
    preferences: MirrorPreferences,
    viewer: Viewer,
    moment: Moment,
  ) => MaybeAsync<{ readonly answer: Answer; readonly version: string } | undefined>;
}

/** What is passed on from another registry broke off. The mirror has told why. */
export class MirroringFailure extends Error {}
