// A process that was killed and that its parent never reaps. In a container whose first process is no init, all killed
// processes stay like that.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

export interface Zombie extends Disposable {
  readonly pid: number;
  /** the kernel still lists it */
  readonly startTicks: string;
}

export async function makeZombie(): Promise<Zombie> {
  // The child ends only after the shell has become a program that knows of no child, because a shell could reap it.
  const child = '( until grep -q sleep /proc/$$/comm; do :; done ) &';
  const parent = spawn('sh', ['-c', `${child} echo $!; exec sleep 60`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(text.toString());
  for (;;) {
    const [state, fields] = readStat(pid);
    if (state === 'Z')
      return { pid, startTicks: fields[19] ?? '', [Symbol.dispose]: () => void parent.kill('SIGKILL') };
    await setTimeout(10);
  }
}

function readStat(pid: number): readonly [string | undefined, readonly string[]] {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return [fields[0], fields];
}
