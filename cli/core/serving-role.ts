// What part a process has in serving: all of it, or that of one worker among several.

import type { WorkerStatus } from '../../proxy/observe/worker-status.ts';

export interface ServingRole {
  /** does what is done once for all processes of a server */
  readonly leads: boolean;
  /** undefined: it is alone */
  readonly workerStatus: WorkerStatus | undefined;
}

export const servingAlone: ServingRole = { leads: true, workerStatus: undefined };
