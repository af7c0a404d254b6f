// The role of a process in serving: a single server, or one worker of several.

import type { WorkerStatus } from '../../proxy/core/observe/health.ts';

export interface ServingRole {
  /** runs the tasks that one process does for all processes of a server */
  readonly isLeader: boolean;
  /** undefined: it is alone */
  readonly workerStatus: WorkerStatus | undefined;
}

export const servingAlone: ServingRole = { isLeader: true, workerStatus: undefined };
