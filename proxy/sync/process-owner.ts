// Which process a job belongs to, told so that another process can later say whether that one still runs.

import { readFile, stat } from 'node:fs/promises';

import { processStart } from '../process-start.ts';

/** This process: the machine's boot with the pid namespace, the pid, and when it started (a pid is given to another process again). */
export async function describeOwner(): Promise<string> {
  return `${await boot()} ${process.pid} ${processStart(process.pid) ?? ''}`;
}

/** A process of another boot or container counts as gone: nobody here can see it. */
export async function isAlive(owner: string): Promise<boolean> {
  const parts = owner.split(' ');
  const [ticks = '', pid = ''] = parts.toReversed();
  if (parts.slice(0, -2).join(' ') !== (await boot())) return false;
  return processStart(Number(pid)) === ticks;
}

async function boot(): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await stat('/proc/self/ns/pid').then(({ ino }) => String(ino)).catch(() => '');
  return `${id.trim()}/${namespace}`;
}
