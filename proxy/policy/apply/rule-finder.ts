// Finds the rules about a package, for each request. The result for all tokens together is remembered by name, and so
// is the result for a token that a rule names.

import type { CompiledPolicy, CompiledRule } from '../judge/compile-policy.ts';
import type { PackageOrigin } from '../judge/facts.ts';
import { rulesAbout } from '../judge/judge.ts';

export interface ApplicableRules {
  /** equal for the same rules of the same policy; empty: no rule */
  readonly key: string;
  readonly rules: readonly CompiledRule[];
  /** true: the metadata omits the source */
  readonly hidesSource: boolean;
  /** true: a rule reads the serving index, not the record alone */
  readonly readsIndex: boolean;
  /** true: a rule compares the releases of the package */
  readonly readsGains: boolean;
}

export const noRules: ApplicableRules = {
  key: '',
  rules: [],
  hidesSource: false,
  readsIndex: false,
  readsGains: false,
};

const mostRemembered = 20_000;

export class RuleFinder {
  readonly #policy: CompiledPolicy;
  /** the tokens that rules name */
  readonly #named: ReadonlySet<string>;
  /** name → the rules for tokens that no rule names */
  readonly #known: Readonly<Record<PackageOrigin, Map<string, ApplicableRules>>> = {
    private: new Map(),
    mirrored: new Map(),
  };
  readonly #ofTokens = new Map<string, ApplicableRules>();

  constructor(policy: CompiledPolicy) {
    this.#policy = policy;
    this.#named = new Set(
      [...policy.rules, ...policy.sources].flatMap(({ given }) => given.tokens ?? ([] as readonly string[])),
    );
  }

  /** True if no rule is about versions or sources. */
  get isEmpty(): boolean {
    return this.#policy.rules.length === 0 && this.#policy.sources.length === 0;
  }

  /** All rules about the package for this token. `token`: its id; undefined: none, and so the rules for all tokens. */
  about(name: string, origin: PackageOrigin, token: string | undefined): ApplicableRules {
    if (this.isEmpty) return noRules;
    if (this.#named.size === 0 || token === undefined || !this.#named.has(token))
      return (
        this.#known[origin].get(name) ??
        remembered(
          this.#known[origin],
          name,
          this.#find(name, origin, (tokens) => tokens === undefined),
        )
      );
    const key = `${origin} ${name} ${token}`;
    const isOfToken = (tokens: readonly string[] | undefined): boolean =>
      tokens === undefined || tokens.includes(token);
    return this.#ofTokens.get(key) ?? remembered(this.#ofTokens, key, this.#find(name, origin, isOfToken));
  }

  /** Only the rules that name this token. */
  aboutToken(name: string, origin: PackageOrigin, token: string | undefined): ApplicableRules {
    if (token === undefined || !this.#named.has(token)) return noRules;
    const key = `${origin} ${name} ${token} only`;
    const isOfToken = (tokens: readonly string[] | undefined): boolean => tokens?.includes(token) === true;
    return this.#ofTokens.get(key) ?? remembered(this.#ofTokens, key, this.#find(name, origin, isOfToken));
  }

  #find(
    name: string,
    origin: PackageOrigin,
    isOfToken: (tokens: readonly string[] | undefined) => boolean,
  ): ApplicableRules {
    const rules = rulesAbout(this.#policy, { name, origin }, isOfToken);
    const hidesSource = this.#policy.sources.some(
      ({ given, concerns }) => isOfToken(given.tokens) && concerns(name, origin),
    );
    if (rules.length === 0 && !hidesSource) return noRules;
    return {
      key: [...rules.map(({ given }) => given.name), hidesSource ? 'source' : ''].join(' '),
      rules,
      hidesSource,
      readsIndex: rules.some(({ given }) => given.rule === 'required'),
      readsGains: readsGains(rules),
    };
  }
}

export function readsGains(rules: readonly Pick<CompiledRule, 'given'>[]): boolean {
  return rules.some(({ given }) => given.rule === 'capability');
}

function remembered(known: Map<string, ApplicableRules>, key: string, found: ApplicableRules): ApplicableRules {
  if (known.size >= mostRemembered) known.clear();
  known.set(key, found);
  return found;
}
