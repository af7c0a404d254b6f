// Files carry a format number. A higher one than this version reads is no damage: a newer version of Libretto is at
// work on the data folder, and this one must neither believe what it does not know nor write over it. Every file of
// which a format is raised raises that of the publication too, so that a server need only look at that.

export class NewerFormat extends Error {
  constructor(found: number, known: number) {
    super(
      `it was written by a newer version of Libretto (format ${found}, this version reads ${known}). Upgrade this one`,
    );
    this.name = 'NewerFormat';
  }
}

/** Throws NewerFormat. What is no number is not newer, whatever else it is. */
export function refuseNewer(found: unknown, known: number): void {
  if (typeof found === 'number' && found > known) throw new NewerFormat(found, known);
}
