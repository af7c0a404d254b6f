// How large a foreign ZIP may be, and how much it may claim to hold. Far above any real package, and small enough that
// the worst of archives costs seconds and no memory.

import { maxComposerJsonBytes } from '../../record/parse-composer-json.ts';

export interface ZipLimits {
  /** of the file itself, bytes */
  readonly archiveBytes: number;
  /** of everything in it once inflated, bytes */
  readonly contentBytes: number;
  readonly entries: number;
  /** of its central directory, bytes */
  readonly directoryBytes: number;
  /** inflated ÷ deflated size of one entry; looked at from `ratioFromBytes` inflated bytes on */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  /** of a symlink's target, bytes */
  readonly linkBytes: number;
  /** of a composer.json that is kept, bytes */
  readonly composerJsonBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultZipLimits: ZipLimits = {
  archiveBytes: 256 * mebibyte,
  contentBytes: 256 * mebibyte,
  entries: 20_000,
  directoryBytes: 16 * mebibyte,
  ratio: 100,
  ratioFromBytes: mebibyte,
  linkBytes: 4096,
  composerJsonBytes: maxComposerJsonBytes,
};
