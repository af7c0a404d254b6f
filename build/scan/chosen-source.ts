// One source that a build knows: its location, the place that names it, and how the build reads it.

import type { PublishedSource } from '../contract/publication.ts';
import type { RegisteredSource, SourceOptions } from '../sources/options.ts';
import type { SourceSpec } from '../sources/spec.ts';

export interface ChosenSource {
  readonly spec: SourceSpec;
  readonly from: PublishedSource['from'];
  readonly options: SourceOptions;
  /** true: it has options; they are unknown in a build without its libretto.json */
  readonly hasOptions: boolean;
  /** the access data of a registered repository */
  readonly access?: Pick<RegisteredSource, 'id' | 'environment' | 'refusal'>;
}
