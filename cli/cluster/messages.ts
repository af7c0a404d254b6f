// The messages between the primary and its workers. Both run the same program in the same version, so the receiver
// validates nothing.

import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import type { ListenAddress } from '../config/setting-values.ts';

export type FromWorker =
  /** the worker is ready for messages */
  | { readonly type: 'hello' }
  /** the worker serves requests */
  | { readonly type: 'serving'; readonly host: string; readonly port: number }
  | { readonly type: 'metrics'; readonly question: number; readonly families: readonly Family[] };

export type FromPrimary =
  | { readonly type: 'start'; readonly order: WorkerOrder }
  /** the number of workers that serve now */
  | { readonly type: 'workers'; readonly running: number }
  /** The server is complete, and the leader prints so. `metrics`: the address of the primary's metrics. */
  | { readonly type: 'announce'; readonly metrics: ListenAddress | undefined }
  | { readonly type: 'metrics'; readonly question: number }
  | { readonly type: 'hang up' }
  | { readonly type: 'stop' };

export interface WorkerOrder {
  /** the configured number of workers */
  readonly size: number;
  /** this worker does the tasks of the complete server */
  readonly isLeader: boolean;
}
