// Loaded with --import into the program that is measured. When it ends, file descriptor 3 gets its peak memory (KB),
// and the processor time (ms) that it and the programs it started took. Linux alone provides the latter.

import { existsSync, readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const ticksPerSecond = 100;

/** Fields 16 and 17 of proc(5), stat: children that have ended. */
function childrenMs() {
  if (!existsSync('/proc/self/stat')) return 0;
  const text = readFileSync('/proc/self/stat', 'utf8');
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return ((user + system) * 1000) / ticksPerSecond;
}

if (isMainThread) {
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    writeSync(3, `${maxRSS} ${(userCPUTime + systemCPUTime) / 1000 + childrenMs()}`);
  });
}
