// Names the boot and the pid namespace of this process. A pid is unique only there: two containers, or a host before
// and after a restart, give the same pid to different processes.

import { readFile, stat } from 'node:fs/promises';

/** `<boot id>/<inode of the pid namespace>` on Linux; `/` on other systems, where only the host name distinguishes. */
export async function bootOfProcess(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await stat('/proc/self/ns/pid')
    .then(({ ino }) => String(ino))
    .catch(() => '');
  return `${boot.trim()}/${namespace}`;
}
