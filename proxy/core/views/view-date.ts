// Computes the date of a view from the publications that changed something visible in it. The date therefore reveals no
// hidden change (I14). Pure. The date is the second of the last such publication. If several fall into one second, each
// counts one second after the one before. The date rises with each change, is equal on every host and after every
// restart, and continues after a rollback.

/**
 * Seconds. A change this long before the last one does not move the date: only a burst of visible changes, one a second
 * for this whole time, could make it do so.
 */
const longestBurst = 3600;

export class ViewDate {
  /** serial of a publication → when it was, epoch seconds */
  readonly #times = new Map<number, number>();
  #latestSerial = -1;
  #latestAt = Number.NEGATIVE_INFINITY;

  /**
   * True if a change of the publication `serial` at `at` (epoch seconds) can move the date. If not, its visibility need
   * not be known.
   */
  dependsOn(serial: number, at: number): boolean {
    if (serial < this.#latestSerial && at < this.#latestAt - longestBurst) return false;
    const known = this.#times.get(serial);
    return known === undefined || known < at;
  }

  /** A change that is seen; changes of one publication are one. */
  add(serial: number, at: number): void {
    if (!this.dependsOn(serial, at)) return;
    this.#times.set(serial, at);
    if (at < this.#latestAt || (at === this.#latestAt && serial < this.#latestSerial)) return;
    [this.#latestSerial, this.#latestAt] = [serial, at];
  }

  /** Epoch seconds; undefined: the view has seen no version. */
  get seconds(): number | undefined {
    let date: number | undefined;
    for (const [, at] of [...this.#times].toSorted(([one], [other]) => one - other))
      date = date === undefined ? at : Math.max(at, date + 1);
    return date;
  }
}
