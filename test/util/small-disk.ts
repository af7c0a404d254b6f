// A disk of a few MiB in memory that a test fills or makes read-only. Only a full disk shows how the compiled program
// behaves on one. It needs the right to mount; tests without the right are skipped, and listed by the runner.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  /** where it is mounted */
  readonly path: string;
  /** Leaves this many bytes free; default: none. */
  readonly fill: (leave?: number) => void;
  /** Removes the file that filled it. */
  readonly free: () => void;
  readonly mountAgain: (mode: 'ro' | 'rw') => void;
  readonly remove: () => void;
}

export function cannotMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'libretto-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
  return !mounted;
}

export function smallDisk(mebibytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'libretto-disk-'));
  const mount = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('mount', [...args, path], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`);
  };
  mount('-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs');
  const ballast = join(path, 'lost+found');
  return {
    path,
    fill: (leave = 0) => {
      rmSync(ballast, { force: true });
      const { bavail, bsize } = statfsSync(path);
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize - leave));
      } catch (error) {
        // another writer used the rest: the disk is full, as intended
        if (leave > 0 || (error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(ballast, { force: true }),
    mountAgain: (mode) => mount('-o', `remount,${mode}`),
    remove: () => {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
