// What the primary and its workers say to each other. Both are this very program, in one version: what they say is
// believed as it comes.

import type { Family } from '../../proxy/observe/metrics-text.ts';
import type { ListenAddress } from '../config/setting-values.ts';

export type FromWorker =
  /** it listens to what it is told */
  | { readonly say: 'hello' }
  /** it serves */
  | { readonly say: 'serving'; readonly host: string; readonly port: number }
  | { readonly say: 'metrics'; readonly question: number; readonly families: readonly Family[] };

export type FromPrimary =
  | { readonly say: 'start'; readonly order: WorkerOrder }
  /** how many serve now */
  | { readonly say: 'crew'; readonly running: number }
  /** All is up: tell people. `metrics`: where the primary serves them. */
  | { readonly say: 'announce'; readonly metrics: ListenAddress | undefined }
  | { readonly say: 'metrics'; readonly question: number }
  | { readonly say: 'hang up' }
  | { readonly say: 'stop' };

export interface WorkerOrder {
  /** how many there are to be */
  readonly size: number;
  /** does what is done once for all of them */
  readonly leads: boolean;
}
