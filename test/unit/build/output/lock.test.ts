// Tests the lock of builds: one build at a time, and the conditions for taking over a lock.
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LockOwner } from '../../../../build/output/lock-owner.ts';
import { takeLock } from '../../../../build/output/lock.ts';
import { BuildBusy } from '../../../../build/contract/refusals.ts';
import { makeZombie } from '../../../util/zombie.ts';

const now = (): Date => new Date();
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'libretto-lock-'));
  path = join(folder, 'build', 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function leaveLock(change: Partial<LockOwner>): Promise<void> {
  const lock = await takeLock(path, now);
  const owner = JSON.parse(await readFile(path, 'utf8')) as LockOwner;
  await lock.release();
  await writeFile(path, JSON.stringify({ ...owner, ...change }));
}

describe('takeLock', () => {
  it('a second build is refused, and the message names the first', async () => {
    const lock = await takeLock(path, now);
    await expect(takeLock(path, now)).rejects.toThrow(BuildBusy);
    await expect(takeLock(path, now)).rejects.toThrow(`process id ${process.pid}`);
    await lock.release();
    await (await takeLock(path, now)).release();
  });

  it('the lock of a dead process of this host is taken over at once', async () => {
    await leaveLock({ pid: 2 ** 22 + 1 });
    await (await takeLock(path, now)).release();
  });

  it('the lock of a killed process that its parent has not reaped is taken over', async () => {
    using zombie = await makeZombie();
    await leaveLock({ pid: zombie.pid, startTicks: zombie.startTicks });
    await (await takeLock(path, now)).release();
  });

  it('the lock of a dead process is taken over although another process has its id now', async () => {
    await leaveLock({ startTicks: '1' });
    await (await takeLock(path, now)).release();
  });

  it('the lock of another host is taken over only after a minute without a heartbeat', async () => {
    await leaveLock({ host: 'elsewhere' });
    await expect(takeLock(path, now)).rejects.toThrow('elsewhere');
    const past = Date.now() / 1000 - 61;
    await utimes(path, past, past);
    await (await takeLock(path, now)).release();
  });

  it('a half-written lock is taken over only after a minute', async () => {
    await leaveLock({});
    await writeFile(path, '{"pid":');
    await expect(takeLock(path, now)).rejects.toThrow(BuildBusy);
    const past = Date.now() / 1000 - 61;
    await utimes(path, past, past);
    await (await takeLock(path, now)).release();
  });

  it('exactly one of many processes takes over a stale lock', async () => {
    for (let round = 0; round < 5; round += 1) {
      await leaveLock({ pid: 2 ** 22 + 1 });
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(path, now)));
      const won = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(won).toHaveLength(1);
      for (const result of tries) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(BuildBusy);
      await won[0]?.release();
    }
  });

  it('files of processes that were killed while they took the lock are removed, and those of live processes stay', async () => {
    await leaveLock({ pid: 2 ** 22 + 1 });
    const left = await readFile(path, 'utf8');
    await (await takeLock(path, now)).release();
    await writeFile(`${path}.dead`, left);
    await writeFile(`${path}.half`, '{"pid":');
    await writeFile(`${path}.alive`, left.replace(String(2 ** 22 + 1), String(process.pid)));
    const past = Date.now() / 1000 - 61;
    await utimes(`${path}.half`, past, past);
    await (await takeLock(path, now)).release();
    expect(await readdir(dirname(path))).toEqual(['lock.alive']);
  });

  it('releasing leaves a lock of another process alone', async () => {
    const lock = await takeLock(path, now);
    await writeFile(path, 'of another');
    await lock.release();
    expect(await readFile(path, 'utf8')).toBe('of another');
  });
});
