// Recognizes files of a newer format. A newer version of Libretto then uses the data folder, and this version must
// neither trust the file nor overwrite it. Every raised format of a file also raises the format of the publication, so
// that a server checks only the latter.

export class NewerFormat extends Error {
  constructor(found: number, known: number) {
    super(
      `it was written by a newer version of Libretto (format ${found}, this version reads ${known}). Upgrade this one`,
    );
    this.name = 'NewerFormat';
  }
}

/** Throws NewerFormat. A value that is no number is not newer. */
export function refuseNewer(found: unknown, known: number): void {
  if (typeof found === 'number' && found > known) throw new NewerFormat(found, known);
}
