// What ends the making of a version whose archive turns out to have purged bytes: it is left out, and the build goes
// on.

import type { PurgedVersion } from '../contract/purged.ts';

export class PurgedBytes extends Error {
  readonly tombstone: PurgedVersion;

  constructor(tombstone: PurgedVersion) {
    super(`the archive has the bytes of ${tombstone.name} ${tombstone.version}, which was purged`);
    this.name = 'PurgedBytes';
    this.tombstone = tombstone;
  }
}
