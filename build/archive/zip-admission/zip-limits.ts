// The limits on the size of a foreign ZIP and on the size of its contents. The limits are far above any real package,
// but small enough that the worst archive costs only seconds and little memory.

import { maxComposerJsonBytes } from '../../record/parse-composer-json.ts';

export interface ZipLimits {
  /** true: whatever hurts no unpacker is admitted. false: all unpackers on all systems read the archive alike */
  readonly harmless: boolean;
  /** size of the file itself, bytes */
  readonly archiveBytes: number;
  /** inflated size of all entries, bytes */
  readonly contentBytes: number;
  readonly entries: number;
  /** size of its central directory, bytes */
  readonly directoryBytes: number;
  /** inflated ÷ deflated size of one entry; checked from `ratioFromBytes` inflated bytes on */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  /** size of a symlink's target, bytes */
  readonly linkBytes: number;
  /** size of a stored composer.json, bytes */
  readonly composerJsonBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultZipLimits: ZipLimits = {
  harmless: false,
  archiveBytes: 256 * mebibyte,
  contentBytes: 256 * mebibyte,
  entries: 20_000,
  directoryBytes: 16 * mebibyte,
  ratio: 100,
  ratioFromBytes: 16 * mebibyte,
  linkBytes: 4096,
  composerJsonBytes: maxComposerJsonBytes,
};

/** For archives of other registries, which nobody here can pack again. */
export const foreignZipLimits: ZipLimits = {
  ...defaultZipLimits,
  harmless: true,
  contentBytes: 1024 * mebibyte,
  entries: 50_000,
  directoryBytes: 64 * mebibyte,
  ratio: Number.POSITIVE_INFINITY,
};
