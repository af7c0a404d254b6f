// Metrics of the disks of the data folder: their size and free space, and whether they accept writes.

import { measureDisks, type DiskSpace } from '../../proxy/core/observe/storage.ts';
import type { Family, Sample } from '../../proxy/core/observe/metrics-text.ts';

/** Read on each scrape. Never rejects: a disk that cannot be checked has no bytes and accepts no writes. */
export async function diskFamilies(dataDirectory: string): Promise<readonly Family[]> {
  const disks = await measureDisks(dataDirectory);
  const family = (name: string, help: string, valueOf: (disk: DiskSpace) => number | undefined): Family => ({
    name,
    type: 'gauge',
    help,
    samples: disks.flatMap((disk): readonly Sample[] => {
      const value = valueOf(disk);
      return value === undefined ? [] : [{ labels: { folder: disk.folder }, value }];
    }),
  });
  return [
    family('libretto_disk_size_bytes', 'Size of the disk of the folder.', ({ bytes }) => bytes?.size),
    family(
      'libretto_disk_available_bytes',
      'Free space on the disk of the folder, without the reserve of root.',
      ({ bytes }) => bytes?.available,
    ),
    family(
      'libretto_disk_accepts_writes',
      '0 while the disk of the folder is full or read-only: packages are served, and changes fail.',
      ({ acceptsWrites }) => Number(acceptsWrites),
    ),
  ];
}
