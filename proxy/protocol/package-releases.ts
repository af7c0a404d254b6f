// The published versions of one package as views look at them, and nothing else of them: small enough to keep those of every package.

import type { PackageIndex } from '../../build/contract/serving-index.ts';
import { releaseOf, type ReleaseFilter } from '../views/view.ts';

export class PackageReleases {
  readonly #versions: readonly string[];
  /** NaN: not known */
  readonly #released: Float64Array;

  /** `intern`: one text for all equal ones, since every package has its 1.0.0.0. */
  constructor({ versions }: Pick<PackageIndex, 'versions'>, intern: (text: string) => string) {
    const published = versions.filter(({ state }) => state === 'published').map(releaseOf);
    this.#versions = published.map((release) => intern(release.version_normalized));
    this.#released = Float64Array.from(published, ({ releasedMs }) => releasedMs ?? Number.NaN);
  }

  /** Whether somebody with this view of the package sees that it is there. */
  isSeen(filter: ReleaseFilter): boolean {
    if (filter === 'all' || filter === 'none') return filter === 'all' && this.#versions.length > 0;
    return this.#versions.some((version, at) => {
      const releasedMs = this.#released[at] ?? Number.NaN;
      return filter({ version_normalized: version, releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs });
    });
  }
}

/** At most `capacity` texts are remembered; it begins anew then. */
export function createIntern(capacity = 20_000): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const same = known.get(text);
    if (same !== undefined) return same;
    if (known.size >= capacity) known.clear();
    known.set(text, text);
    return text;
  };
}
