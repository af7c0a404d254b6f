// Returns the bytes of identified files. It reads and hashes each file again, and fails if the bytes have changed.

import { join } from 'node:path';
import type { ContentFile } from '../../archive/content.ts';
import { identityOfBytes, readTarget } from './identify-files.ts';
import type { PackageLimits } from './limits.ts';
import type { Pause } from '../../files/pause.ts';
import { changedWhileRead, readUnchanged } from '../../files/read-file.ts';

export interface ContentPlace {
  /** absolute */
  readonly folder: string;
  readonly limits: PackageLimits;
  readonly pause: Pause;
}

/** One array of bytes for each file, in the order given. Throws QuarantineError UNREADABLE_FILE. */
export async function* readContent(place: ContentPlace, files: readonly ContentFile[]): AsyncGenerator<Uint8Array> {
  for (const { path, mode, identity } of files) {
    const absolute = join(place.folder, path);
    const bytes =
      mode === 'symlink'
        ? readTarget(absolute)
        : await readUnchanged(absolute, { maxBytes: place.limits.bytesPerFile }, place.pause);
    if (identityOfBytes(bytes) !== identity) throw changedWhileRead(absolute);
    yield bytes;
  }
}
