// Finds the tokens that see a version. Tokens with equal views are asked together, and equal results are one array.

import { filterOf, passes, type ReleaseFacts, type View } from '../../core/views/view.ts';
import type { TokenProfile } from './token-profiles.ts';

interface Group {
  readonly view: View | undefined;
  readonly ids: string[];
}

export class TokenVisibility {
  readonly #groups: readonly Group[];
  readonly #results = new Map<string, readonly string[]>();

  private constructor(groups: readonly Group[]) {
    this.#groups = groups;
  }

  /** The active tokens that were used since `sinceMs`. */
  static async of(tokens: readonly TokenProfile[], sinceMs: number): Promise<TokenVisibility> {
    const groups = new Map<string, Group>();
    for (const { id, status, lastUsedMs = 0, access } of tokens) {
      if (status !== 'active' || lastUsedMs < sinceMs) continue;
      const found = await access();
      if (found === undefined) continue;
      const key = found.view?.key ?? '';
      const group = groups.get(key) ?? { view: found.view, ids: [] };
      group.ids.push(id);
      groups.set(key, group);
    }
    return new TokenVisibility([...groups.values()]);
  }

  /** The ids of the tokens that see a version of this package. */
  about(name: string): (release: ReleaseFacts) => readonly string[] {
    const filters = this.#groups.map(({ view }) => filterOf(view, name));
    return (release) => {
      const seeing = this.#groups.filter((_, at) => passes(filters[at] ?? 'none', release));
      const key = seeing.map(({ view }) => view?.key ?? '').join('\n');
      const known = this.#results.get(`${seeing.length} ${key}`) ?? seeing.flatMap(({ ids }) => ids).toSorted();
      this.#results.set(`${seeing.length} ${key}`, known);
      return known;
    };
  }
}
