// The messages between the primary and its workers. Both run the same program in the same version, so the receiver
// validates nothing.

import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import type { ListenAddress } from '../config/setting-values.ts';

export type FromWorker =
  /** the worker is ready for messages */
  | { readonly say: 'hello' }
  /** the worker serves requests */
  | { readonly say: 'serving'; readonly host: string; readonly port: number }
  | { readonly say: 'metrics'; readonly question: number; readonly families: readonly Family[] };

export type FromPrimary =
  | { readonly say: 'start'; readonly order: WorkerOrder }
  /** the number of workers that serve now */
  | { readonly say: 'workers'; readonly running: number }
  /** The server is complete, and the leader prints so. `metrics`: the address of the primary's metrics. */
  | { readonly say: 'announce'; readonly metrics: ListenAddress | undefined }
  | { readonly say: 'metrics'; readonly question: number }
  | { readonly say: 'hang up' }
  | { readonly say: 'stop' };

export interface WorkerOrder {
  /** the configured number of workers */
  readonly size: number;
  /** this worker does the tasks of the complete server */
  readonly leads: boolean;
}
