// Collects what a trial of a policy finds: counts for each rule, and the versions that people use most. Its memory does
// not grow with the number of versions.

import type { Rule } from '../model/policy-document.ts';
import type { PolicyTest, TestedVersion } from './policy-views.ts';

const mostListed = 1000;

interface Counted {
  versions: number;
  used: number;
  /** equal sets of tokens are one array (TokenVisibility) */
  readonly tokens: Map<readonly string[], readonly string[]>;
}

export class TestedVersions {
  examined = 0;
  readonly #rules: readonly Rule[];
  readonly #counts: ReadonlyMap<string, Counted>;
  #listed: TestedVersion[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    this.#counts = new Map(rules.map(({ name }) => [name, { versions: 0, used: 0, tokens: new Map() }]));
  }

  /** `seenBy`: the tokens that see the version. */
  add(
    { name, tokens: named }: Pick<Rule, 'name' | 'tokens'>,
    version: Omit<TestedVersion, 'tokens'>,
    seenBy: readonly string[],
  ): void {
    const counted = this.#counts.get(name);
    if (counted === undefined) return;
    const tokens =
      counted.tokens.get(seenBy) ?? (named === undefined ? seenBy : seenBy.filter((id) => named.includes(id)));
    counted.tokens.set(seenBy, tokens);
    counted.versions += 1;
    counted.used += version.used;
    this.#listed.push({ ...version, tokens });
    if (this.#listed.length >= 4 * mostListed) this.#listed = this.#most();
  }

  result(): PolicyTest {
    return {
      versions: this.#most(),
      counts: this.#rules.map(({ name, action }) => {
        const { versions = 0, used = 0, tokens = new Map<never, readonly string[]>() } = this.#counts.get(name) ?? {};
        return { rule: name, action, versions, used, tokens: new Set([...tokens.values()].flat()).size };
      }),
      examined: this.examined,
    };
  }

  /** Used versions first, then by name; equal ones stay in the order in which they came. */
  #most(): TestedVersion[] {
    return this.#listed
      .toSorted((one, other) => other.used - one.used || compare(one.name, other.name))
      .slice(0, mostListed);
  }
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
