// The policy in effect, with the lists that its rules read: own advisories and filter lists, and those of feeds. It is
// compiled again after a change of any of them.

import { advisoriesOf, type AdvisoryLists } from '../../../build/contract/advisory-lists.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { advisoriesIn, entriesIn, type AdvisoryFacts, type ListEntry, type PackageFacts } from '../judge/facts.ts';
import type { CompiledPolicy } from '../judge/compile-policy.ts';
import { noGains } from '../judge/held-releases.ts';
import { RuleFinder } from './rule-finder.ts';

/** Lists of other registries and of databases, in memory. */
export interface OutsideLists {
  readonly advisoriesOf: (name: PackageName) => readonly AdvisoryFacts[];
  readonly entriesOf: (name: PackageName) => readonly ListEntry[];
  /** false: nobody was asked about this name */
  readonly isLookedUp: (name: PackageName) => boolean;
  /** Looks the name up in the feeds. Gives up after two seconds. */
  readonly lookUp: (name: PackageName) => Promise<void>;
}

export const noOutsideLists: OutsideLists = {
  advisoriesOf: () => [],
  entriesOf: () => [],
  isLookedUp: () => true,
  lookUp: () => Promise.resolve(),
};

/** The lists of these feeds; one object while they are unchanged. `feeds`: undefined while they are not open. */
export function outsideLists(feeds: () => OpenFeeds | undefined): () => OutsideLists {
  let [of, lists]: [ReturnType<OpenFeeds['lists']> | undefined, OutsideLists] = [undefined, noOutsideLists];
  return () => {
    const opened = feeds();
    const latest = opened?.lists();
    if (opened !== undefined && latest !== undefined && latest !== of)
      [of, lists] = [latest, { ...latest, lookUp: opened.learn }];
    return lists;
  };
}

interface OpenFeeds {
  readonly lists: () => Omit<OutsideLists, 'lookUp'>;
  readonly learn: OutsideLists['lookUp'];
}

/** True if a rule reads advisories or filter lists. */
export function readsLists({ rules }: Pick<CompiledPolicy, 'rules'>): boolean {
  return rules.some(({ given }) => given.rule === 'advisories' || given.rule === 'filter');
}

/** One object while policy and lists are unchanged. */
export class CurrentPolicy {
  readonly compiled: CompiledPolicy;
  readonly rules: RuleFinder;
  readonly #own: AdvisoryLists;
  readonly #outside: OutsideLists;

  constructor(compiled: CompiledPolicy, own: AdvisoryLists, outside: OutsideLists) {
    this.compiled = compiled;
    this.rules = new RuleFinder(compiled);
    this.#own = own;
    this.#outside = outside;
  }

  /**
   * Asks the feeds about a mirrored package that nobody was asked about, if a rule reads their lists. undefined: there
   * is nothing to ask.
   */
  learn(name: PackageName): Promise<void> | undefined {
    return !readsLists(this.compiled) || this.#outside.isLookedUp(name) ? undefined : this.#outside.lookUp(name);
  }

  /** `beside`: the keys at the top of the package's document, with advisories and filter lists of its registry. */
  factsOf(
    name: PackageName,
    origin: PackageFacts['origin'],
    beside: JsonObject = {},
    gains: PackageFacts['gains'] = () => noGains,
  ): PackageFacts {
    return listedFacts(this.#own, this.#outside, { name, origin, beside, gains });
  }
}

/** What all lists say of a package. */
export function listedFacts(
  lists: AdvisoryLists,
  outside: OutsideLists,
  {
    name,
    origin,
    beside,
    gains,
  }: Omit<PackageFacts, 'name' | 'advisories' | 'entries'> & {
    readonly name: PackageName;
    readonly beside: JsonObject;
  },
): PackageFacts {
  const own = advisoriesOf(lists, name);
  return {
    name,
    origin,
    advisories: [
      ...advisoriesIn(own.advisories),
      ...advisoriesIn(beside['security-advisories']),
      ...outside.advisoriesOf(name),
    ],
    entries: [...entriesIn(own.filter), ...entriesIn(beside['filter']), ...outside.entriesOf(name)],
    gains,
  };
}
