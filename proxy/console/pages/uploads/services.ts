// What the pages about uploads need.

import { actorOf } from '../../../auth/caller.ts';
import type { Artifacts } from '../../../artifacts/artifacts.ts';
import type { Uploads } from '../../../artifacts/uploads.ts';
import type { MaybeAsync } from '../../../../build/shared/concurrency/maybe-async.ts';
import type { Actor } from '../../../state/audit.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface UploadPageServices {
  readonly artifactsOf: (actor: Actor) => Artifacts;
  readonly uploads: Uploads;
  /** the retention of a cleanup, days */
  readonly artifactRetention: () => MaybeAsync<number>;
  readonly state: Pick<StateStore, 'get'>;
}

/** The artifacts on behalf of this visitor. */
export function artifactsFor({ artifactsOf }: UploadPageServices, { caller }: SignedInRequest): Artifacts {
  return artifactsOf(actorOf(caller));
}
