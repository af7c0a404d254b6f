// Names the process that owns a job, so that another process can later check whether the owner still runs.

import { bootOfProcess } from '../../build/shared/process/boot.ts';
import { processStart } from '../../build/shared/process/process-start.ts';

/**
 * This process: the machine's boot with the pid namespace, the pid, and when it started (a pid is given to another
 * process again).
 */
export async function describeOwner(): Promise<string> {
  return `${await bootOfProcess()} ${process.pid} ${processStart(process.pid) ?? ''}`;
}

/** `elsewhere`: on another host, in another container, or before the last boot. This process cannot observe it. */
export type Whereabouts = 'running' | 'ended' | 'elsewhere';

export async function whereaboutsOf(owner: string): Promise<Whereabouts> {
  const parts = owner.split(' ');
  const [ticks = '', pid = ''] = parts.toReversed();
  if (parts.slice(0, -2).join(' ') !== (await bootOfProcess())) return 'elsewhere';
  return processStart(Number(pid)) === ticks ? 'running' : 'ended';
}
