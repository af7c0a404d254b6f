// The port to what pages show of the published versions, and that otherwise only commands know.

import type { Comparison } from './comparison.ts';
import type { Publications } from './publications.ts';
import type { WhyReader } from './why-reader.ts';

/** Each throws RegistryError NOT_AVAILABLE where the folder of the builder is on another host. */
export interface Inspection {
  readonly publications: Publications;
  readonly why: WhyReader;
  readonly comparison: Comparison;
}
