// The values that the steps of one build share.

import type { GuardedLists } from '../contract/announced-lists.ts';
import type { RollbackHold } from '../contract/publication.ts';
import type { DocumentSettings } from '../documents/document-settings.ts';
import type { PendingHistory } from '../package/pending-publications.ts';
import type { PublishedBy } from '../history/record.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import type { PackageLimit } from '../scan/package-limit.ts';
import type { Output } from '../output/output.ts';
import type { ProgressEvent } from '../contract/build-report.ts';
import type { ScannedSource } from '../scan/scan.ts';
import type { NextAdvisories } from './next-advisories.ts';
import type { Purged } from '../package/purged.ts';
import type { Withheld } from '../version-lists/withheld.ts';
import type { SourceChoice } from '../scan/choose-sources.ts';

export interface PublishContext {
  readonly choice: SourceChoice;
  readonly tree: TreeMemory;
  readonly scanned: readonly ScannedSource[];
  readonly settings: DocumentSettings;
  /** undefined: the build examines all packages */
  readonly limit: PackageLimit | undefined;
  readonly settingsDigest: string;
  readonly output: Output;
  readonly dataDirectory: string;
  readonly withheld: Withheld;
  readonly purged: Purged;
  readonly advisories: NextAdvisories;
  readonly pending: PendingHistory;
  readonly by: PublishedBy | undefined;
  /** for a publication that restores earlier metadata */
  readonly rollback?: { readonly to: number; readonly undone: readonly RollbackHold[] };
  /** true: builds may publish again the changes that rollbacks undid */
  readonly endsRollbacks?: true;
  readonly now: () => Date;
  readonly progress: (event: ProgressEvent) => void;
}

/** The lists that keep versions out, as this build leaves them. */
export function guardedLists({ purged, withheld }: Pick<PublishContext, 'purged' | 'withheld'>): GuardedLists {
  return { purged: purged.rows, withheld: withheld.rows };
}
