// The filter lists (Composer ≥ 2.10) of other registries: their names for packages.json, and their entries for requests
// about many packages. The entries come from the documents of mirrored packages. An upstream that fails or is slow
// contributes nothing, and causes no error.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { FilterEntry, PackageAdvisories } from '../../../build/contract/advisory-lists.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { UpstreamUnavailable } from '../upstream/mirror-failure.ts';
import type { Belongings } from './mirrored-advisories.ts';
import { findOffer } from '../upstream/find-offer.ts';
import type { Upstream } from '../upstream/upstream.ts';

type Filter = PackageAdvisories['filter'];

/** How long a request waits for an upstream. */
const patienceMs = 2000;
/** How long the names of the lists are cached, because every client requests packages.json. */
const rememberedMs = 60_000;
const packagesAtOnce = 16;
const mostLists = 20;

export class MirroredFilters {
  readonly #now: () => number;
  #known:
    | { readonly upstreams: ReadonlyMap<string, Upstream>; readonly names: readonly string[]; readonly untilMs: number }
    | undefined;
  readonly #learning = new SingleFlight<readonly string[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The lists that packages.json of any upstream switches on, sorted; the last known ones during a fetch. Returns the
   * same array while the lists are unchanged.
   */
  names(upstreams: ReadonlyMap<string, Upstream>): MaybeAsync<readonly string[]> {
    const known = this.#known?.upstreams === upstreams ? this.#known : undefined;
    if (known !== undefined && this.#now() < known.untilMs) return known.names;
    const learning = this.#learning.run('names', () => this.#learn(upstreams), [upstreams]);
    return known?.names ?? learning;
  }

  /** Entries by name, omitting packages whose documents have no entry. */
  async of(belongings: Belongings): Promise<ReadonlyMap<PackageName, Filter>> {
    const found = new Map<PackageName, Filter>();
    const names = [...belongings];
    for (let from = 0; from < names.length; from += packagesAtOnce) {
      await Promise.all(
        names.slice(from, from + packagesAtOnce).map(async ([name, upstreams]) => {
          const filter = (await orNothing(() => filterOf(name, upstreams))) ?? {};
          if (Object.keys(filter).length > 0) found.set(name, filter);
        }),
      );
    }
    return found;
  }

  /** Never rejects: packages.json does not depend on it. */
  async #learn(upstreams: ReadonlyMap<string, Upstream>): Promise<readonly string[]> {
    const settled = await Promise.allSettled(
      [...upstreams.values()].map((upstream) => orNothing(() => upstream.facts(rememberedMs))),
    );
    const names = [
      ...new Set(settled.flatMap((lists) => (lists.status === 'fulfilled' ? switchedOn(lists.value?.filter) : []))),
    ]
      .toSorted()
      .slice(0, mostLists);
    const before = this.#known?.names;
    const same = before !== undefined && before.join('\n') === names.join('\n');
    this.#known = { upstreams, names: same ? before : names, untilMs: this.#now() + rememberedMs };
    return this.#known.names;
  }
}

/** Combines both entries of one package: in each list the local ones first. */
export function bothFilters(own: Filter, others: Filter): Filter {
  return {
    ...others,
    ...Object.fromEntries(Object.entries(own).map(([list, entries]) => [list, [...entries, ...(others[list] ?? [])]])),
  };
}

/** The entries in the document of releases or, without one, of dev versions. */
async function filterOf(name: PackageName, upstreams: readonly Upstream[]): Promise<Filter> {
  return entriesIn((await findOffer(name, 'stable', upstreams))?.offer?.document.filter);
}

function entriesIn(filter: JsonValue | undefined): Filter {
  if (!isJsonObject(filter)) return {};
  const lists = Object.entries(filter).map(
    ([list, entries]) =>
      [list, Array.isArray(entries) ? (entries as readonly JsonValue[]).filter(isEntry) : []] as const,
  );
  return Object.fromEntries(lists.filter(([list, entries]) => isListName(list) && entries.length > 0));
}

function isEntry(value: JsonValue): value is FilterEntry {
  return isJsonObject(value) && typeof value['constraint'] === 'string';
}

/** Documents count only if `metadata` is true (ComposerRepository.php:816). */
export function switchedOn(filter: JsonValue | undefined): readonly string[] {
  const { metadata, lists }: JsonObject = isJsonObject(filter) ? filter : {};
  if (metadata !== true || !isJsonObject(lists)) return [];
  return Object.entries(lists).flatMap(([name, list]) =>
    isListName(name) && isJsonObject(list) && list['enabled'] === true ? [name] : [],
  );
}

/** List names become keys of this registry's packages.json. */
function isListName(name: string): boolean {
  return /^[a-z][a-z0-9-]{0,63}$/.test(name);
}

/** undefined, too, after the time limit. */
async function orNothing<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await withDeadline<Value | undefined>(work(), patienceMs, () => undefined);
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return undefined;
    throw error;
  }
}
