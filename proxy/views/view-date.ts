// The date of what a view sees, worked out of the publications that changed something of it and no others, pure: it tells nothing of what is hidden (I14).
// It is the second of the last of them; of several within one second each comes one second after the one before it. So it rises with each change, is the
// same on every host and after every restart, and goes on from where it was after a rollback.

/** One change that is seen. */
export interface DatedChange {
  /** of its publication: changes of one publication are one */
  readonly serial: number;
  /** when it was, epoch seconds */
  readonly at: number;
}

/**
 * What happened longer before the last change does not move the date: it would take a publication a second for so long, each with something that is seen.
 * Seconds.
 */
const longestBurst = 3600;

export class ViewDate {
  readonly #times = new Map<number, number>();
  #latest: DatedChange = { serial: -1, at: Number.NEGATIVE_INFINITY };

  /** Changes that are seen, newest first: no more of them are looked at than the date can depend on. */
  add(changes: Iterable<DatedChange>): this {
    for (const change of changes) {
      const { serial, at } = change;
      if (serial < this.#latest.serial && at < this.#latest.at - longestBurst) return this;
      this.#times.set(serial, Math.max(at, this.#times.get(serial) ?? at));
      if (at > this.#latest.at || (at === this.#latest.at && serial > this.#latest.serial)) this.#latest = change;
    }
    return this;
  }

  /** Epoch seconds; undefined: nothing was ever seen. */
  get seconds(): number | undefined {
    let date: number | undefined;
    for (const [, at] of [...this.#times].toSorted(([one], [other]) => one - other)) date = date === undefined ? at : Math.max(at, date + 1);
    return date;
  }
}
