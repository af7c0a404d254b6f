// What the steps of one build hand on to each other.

import type { DocumentSettings } from './document-settings.ts';
import type { TreeMemory } from './memory/tree-memory.ts';
import type { PackageLimit } from './package-limit.ts';
import type { Output } from './output/output.ts';
import type { ProgressEvent } from './report.ts';
import type { ScannedSource } from './scan.ts';
import type { SourceChoice } from './sources/remembered.ts';

export interface Run {
  readonly choice: SourceChoice;
  readonly tree: TreeMemory;
  readonly scanned: readonly ScannedSource[];
  readonly settings: DocumentSettings;
  /** undefined: all packages are looked at */
  readonly limit: PackageLimit | undefined;
  readonly settingsDigest: string;
  readonly output: Output;
  readonly now: () => Date;
  readonly progress: (event: ProgressEvent) => void;
}
