// The port to what pages show of the published versions, and that otherwise only commands know.

import type { Actor } from '../state/audit.ts';
import type { Contents, Viewer } from '../contents/contents.ts';
import type { HealthChecks } from './health.ts';
import type { ImpactReader } from './impact.ts';
import type { Publications } from './publications.ts';
import type { Rollbacks } from './rollbacks.ts';
import type { WhyReader } from './why-reader.ts';

/**
 * Where the folder of the builder is on another host, `publications`, `why`, `contents` and `rollbacksOf` throw
 * RegistryError NOT_AVAILABLE.
 */
export interface Inspection {
  readonly publications: Publications;
  readonly why: WhyReader;
  readonly contents: (viewer: Viewer) => Contents;
  readonly impact: ImpactReader;
  readonly health: HealthChecks;
  /** on behalf of a person */
  readonly rollbacksOf: (actor: Actor) => Rollbacks;
}
