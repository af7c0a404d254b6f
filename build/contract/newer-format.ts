// Recognizes files of a newer format. A newer version of Libretto then uses the data folder, and this version must
// neither trust the file nor overwrite it. Every raised format of a file also raises the format of the publication, so
// that a server checks only the latter.

import { librettoVersion } from './libretto-version.ts';

/** The advice for anything that a newer version wrote. */
export const newerAdvice = 'Use the newer version here too, or restore a backup from before the upgrade';

export class NewerFormat extends Error {
  constructor(found: number, known: number) {
    super(
      `it was written by a newer version of Libretto (format ${found}; Libretto ${librettoVersion} reads format ` +
        `${known}). ${newerAdvice}`,
    );
    this.name = 'NewerFormat';
  }
}

/** Throws NewerFormat. A value that is no number is not newer. */
export function refuseNewer(found: unknown, known: number): void {
  if (typeof found === 'number' && found > known) throw new NewerFormat(found, known);
}
