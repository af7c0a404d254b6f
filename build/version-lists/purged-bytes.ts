// The error of a version whose archive has purged bytes. The build omits the version, and continues.

import type { PurgedVersion } from '../contract/purged.ts';

export class PurgedBytes extends Error {
  readonly tombstone: PurgedVersion;

  constructor(tombstone: PurgedVersion) {
    super(`the archive has the bytes of ${tombstone.name} ${tombstone.version}, which was purged`);
    this.name = 'PurgedBytes';
    this.tombstone = tombstone;
  }
}
