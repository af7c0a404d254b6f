// Many releases of one vendor within minutes: a warning to those who decide about one of them. It holds nothing.

/** What a held release says of itself. */
interface Held {
  readonly name: string;
  /** epoch milliseconds */
  readonly arrivedMs: number;
  readonly because: string;
}

const many = 10;
const nearMs = 600_000;

function vendorOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

export function createBursts() {
  const arrivals = new Map<string, number[]>();
  return {
    /** Releases of a package arrived then, epoch milliseconds. */
    note: (name: string, timesMs: readonly number[]): void => {
      const known = arrivals.get(vendorOf(name)) ?? [];
      for (const atMs of timesMs) known.push(atMs);
      arrivals.set(vendorOf(name), known);
    },
    shownIn: <One extends Held>(held: One): One => {
      const vendor = vendorOf(held.name);
      const near = (arrivals.get(vendor) ?? []).filter((atMs) => Math.abs(atMs - held.arrivedMs) <= nearMs).length;
      if (near < many) return held;
      return { ...held, because: `${held.because}; ${near} releases of ${vendor} arrived within ten minutes of it` };
    },
  };
}
