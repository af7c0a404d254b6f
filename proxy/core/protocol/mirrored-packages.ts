// The port to packages of other registries. The tree requests packages that are not published here from this port.

import type { PackageName } from '../../../build/contract/name.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import type { Conditions } from '../http/representation.ts';
import type { ReleaseFilter, View } from '../views/view.ts';

/** The moment of a request. */
export interface Moment {
  readonly nowMs: number;
  /** grows when a publication may have made other names private */
  readonly epoch: number;
}

export interface MirrorPreferences extends Conditions {
  readonly acceptEncoding: string | undefined;
  /** the caller's view; undefined: all */
  readonly view: View | undefined;
  /** the id of the caller's token; undefined: none is known */
  readonly token?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** A version as a request names it. */
export interface RequestedVersion {
  readonly name: PackageName;
  /** the possible versions of the label, most literal first */
  readonly labels: readonly string[];
  /** undefined: the newest content */
  readonly reference: string | undefined;
}

/** The caller and the visible part of this package: never 'none'. */
export interface Viewer {
  readonly view: View | undefined;
  readonly filter: ReleaseFilter;
}

/** Returns nothing for names that are not mirrored, and sends no request for them. */
export interface MirroredPackages {
  /** True if mirroring is on, so that clients should request names that are not listed. */
  readonly isOn: () => MaybeAsync<boolean>;
  /** True if this publication certainly has no such package (I17): a further look-up on disk is then unnecessary. */
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
    asked: RequestedVersion,
    preferences: MirrorPreferences,
    viewer: Viewer,
    moment: Moment,
  ) => MaybeAsync<{ readonly answer: Answer; readonly version: string } | undefined>;
}

/** A transfer from another registry broke off. The mirror has logged the reason. */
export class MirroringFailure extends Error {}
