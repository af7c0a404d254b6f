// Tests the metrics of disks with a disk of its own for the mirror: full, read-only, and with space.

import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { diskFamilies } from '../../../../cli/serve/disk-metrics.ts';
import { formatMetrics } from '../../../../proxy/core/observe/metrics-text.ts';
import { cannotMount, smallDisk } from '../../../util/small-disk.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const linesOf = async (data: string): Promise<readonly string[]> =>
  formatMetrics(await diskFamilies(data))
    .split('\n')
    .filter((line) => line.startsWith('libretto_'));

it.skipIf(cannotMount())('each disk of the data folder has its space, and 0 while it refuses writes', async () => {
  await using folder = temporaryFolder('disks');
  const disk = smallDisk(8);
  try {
    mkdirSync(folder.at('state'));
    symlinkSync(disk.path, folder.at('mirror'));
    const found = await linesOf(folder.path);
    expect(found.map((line) => line.replace(/ \d{9,}$/, ' many'))).toEqual([
      'libretto_disk_size_bytes{folder="data"} many',
      'libretto_disk_size_bytes{folder="mirror"} 8388608',
      'libretto_disk_available_bytes{folder="data"} many',
      'libretto_disk_available_bytes{folder="mirror"} 8388608',
      'libretto_disk_accepts_writes{folder="data"} 1',
      'libretto_disk_accepts_writes{folder="mirror"} 1',
    ]);
    const refused = 'libretto_disk_accepts_writes{folder="mirror"} 0';
    disk.fill();
    expect(await linesOf(folder.path)).toEqual(
      expect.arrayContaining(['libretto_disk_available_bytes{folder="mirror"} 0', refused]),
    );
    disk.free();
    disk.mountAgain('ro');
    expect(await linesOf(folder.path)).toContain(refused);
  } finally {
    disk.remove();
  }
});

it('a missing data folder has no disk', async () => {
  await using folder = temporaryFolder('disks');
  expect(await linesOf(folder.at('missing'))).toEqual([]);
});
