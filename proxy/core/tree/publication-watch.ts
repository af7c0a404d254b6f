// Notices publications. inotify does not work on network file systems or across hosts and loses events under load, so
// there is no watcher. A request triggers a stat of `index/_publication.json`, which a build replaces last, if the
// last check is older than a few milliseconds. Under load that is one stat for hundreds of requests. A publication of
// a newer version of Libretto is not followed: the cached files of the previous one stay in use.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NewerFormat } from '../../../build/contract/newer-format.ts';
import { publicationPath } from '../../../build/contract/paths.ts';
import { parsePublication, type Publication } from '../../../build/contract/publication.ts';
import { isAbsence, sameStamp, stampFile, type FileStamp } from '../../../build/shared/files/file-stamp.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';

const checkEveryMs = 5;

export class PublicationWatch {
  readonly #path: string;
  readonly #onNewer: (error: Error) => void;
  #stamp: FileStamp | undefined;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #epoch = 0;

  /** `onNewer` is called once for a publication that this version cannot read. */
  constructor(indexDirectory: string, onNewer: (error: Error) => void) {
    this.#path = join(indexDirectory, publicationPath);
    this.#onNewer = onNewer;
  }

  /**
   * A number that grows when a publication may have changed files: data read under an equal epoch is still valid.
   * Without a publication file (a first build is running, or the tree was copied by hand) every check counts as a
   * change.
   */
  epoch(nowMs: number): number {
    if (Math.abs(nowMs - this.#checkedAtMs) < checkEveryMs) return this.#epoch;
    this.#checkedAtMs = nowMs;
    const stamp = stampFile(this.#path);
    if (stamp === undefined || (!sameStamp(stamp, this.#stamp) && !this.#isNewer())) this.#epoch += 1;
    this.#stamp = stamp;
    return this.#epoch;
  }

  #isNewer(): boolean {
    try {
      parsePublication(readFileSync(this.#path, 'utf8'));
      return false;
    } catch (error) {
      if (error instanceof NewerFormat)
        this.#onNewer(
          new Error(
            `${this.#path}: ${error.message}. Then start this server again. Until then, it serves the cached content ` +
              'of the earlier publication',
            { cause: error },
          ),
        );
      return error instanceof NewerFormat; // readers of the file report the damage
    }
  }

  /** The newest publication; undefined before the first one. Throws if the file cannot be read or understood. */
  read(): Publication | undefined {
    try {
      return parsePublication(readFileSync(this.#path, 'utf8'));
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw new UnusableFile(`${this.#path} cannot be used; run \`libretto verify\``, { cause: error });
    }
  }
}
