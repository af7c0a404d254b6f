// Tells failures of a sync that may end by themselves, such as a host that does not answer, from those that a person
// has to mend. What is not known counts as the latter. Pure.

import type { JobError } from './job.ts';

const temporary =
  /could not resolve|failed to connect|connection (?:refused|reset|timed out|closed)|timed out|timeout|unreachable|returned error: (?:429|5\d\d)|RPC failed|early EOF|hung up|unexpected disconnect|closed the connection/i;

/** Words of git about refusals, which may stand beside the words above. */
const lasting = /credentials|authentication failed|permission denied|not found|does not exist|host key/i;

export function isTemporary({ code, message }: JobError): boolean {
  return code === 'BUILD_FAILED' && temporary.test(message) && !lasting.test(message);
}

/** Half a minute, two minutes, ten minutes. */
const waitsMs = [30_000, 120_000, 600_000];

/** The wait before the next try; undefined: enough were made. `failures`: in a row, at least 1. */
export function waitBeforeRetry(failures: number): number | undefined {
  return waitsMs[failures - 1];
}
