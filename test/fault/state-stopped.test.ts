// Tests a process that is stopped while it writes the state (row 84), by a debugger or in a frozen container. Other
// processes read on, and give up writing after a few seconds with a message. Once the process continues, they write
// again.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { runCli } from '../util/run-cli.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

const random = seededRandom(seedOf('CRASH_SEED'));
const writerScript = new URL('../util/state-writer.mjs', import.meta.url).pathname;

let folder: TemporaryFolder;
let writer: ChildProcess | undefined;
beforeEach(() => void (folder = temporaryFolder('stopped')));
afterEach(async () => {
  if (writer !== undefined) {
    const closed = once(writer, 'close');
    writer.kill('SIGKILL');
    await closed;
  }
  await folder.remove();
});

/** Stops the writer until it is stopped in the middle of a commit, where it holds the lock. */
async function stopWithinCommit(victim: ChildProcess): Promise<void> {
  const turn = folder.at('var/state/turn');
  for (let tries = 0; tries < 200; tries += 1) {
    await delay(random() * 20);
    victim.kill('SIGSTOP');
    while (!/\) T /.test(readFileSync(`/proc/${victim.pid}/stat`, 'utf8'))) await delay(1);
    if (existsSync(turn) && readFileSync(turn, 'utf8').startsWith(`${victim.pid} `)) return;
    victim.kill('SIGCONT');
  }
  throw new Error('the writer was never caught at work');
}

it.skipIf(process.platform !== 'linux')(
  'other processes give up writing after a few seconds, read meanwhile, and write again later',
  async () => {
    const store = await openLmdbStore(folder.at('var/state'));
    await store.commit({ conditions: [], puts: [{ key: 'row/a', value: 1 }], deletes: [] });
    writer = spawn(process.execPath, [writerScript, folder.at('var/state'), 'w'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    writer.stdout?.resume();
    await Promise.race([
      once(writer.stdout as NodeJS.ReadableStream, 'data'),
      once(writer, 'close').then(() => Promise.reject(new Error('the writer did not start'))),
    ]);
    await stopWithinCommit(writer);

    const write = { conditions: [], puts: [{ key: 'row/b', value: 2 }], deletes: [] };
    const [refused, cli] = await Promise.all([
      store.commit(write).catch((error: unknown) => error),
      runCli(['token', 'create', '--description', 'x'], { cwd: folder.path }),
      store.get('row/a').then((entry) => expect(entry?.value).toBe(1)),
    ]);
    expect(refused).toMatchObject({
      code: 'STATE_BUSY',
      message: expect.stringContaining(`process with id ${writer.pid} holds it`) as string,
    });
    expect(cli).toEqual({ exitCode: 75, stdout: '', stderr: `libretto: ${(refused as Error).message}` });
    expect(await store.get('row/b')).toBeUndefined();

    writer.kill('SIGCONT');
    expect(await store.commit(write)).toBe(true);
    expect((await store.get('row/b'))?.value).toBe(2);
    await store.close();
  },
);
