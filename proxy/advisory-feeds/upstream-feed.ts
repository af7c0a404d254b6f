// Another Composer repository as a feed: its security advisories (`security-advisories.api-url`), and its filter lists
// (`filter.api-url` or `filter.summary-url`, Composer ≥ 2.10). The keys are those of its packages.json.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';
import { shownUrl } from '../../build/egress/egress-failure.ts';
import { advisoriesForm, apiUrlOf, namesInRequest } from '../mirror/advisories/mirrored-advisories.ts';
import { switchedOn } from '../mirror/advisories/mirrored-filters.ts';
import { PrivateNamesUnknown, UpstreamUnavailable } from '../mirror/upstream/mirror-failure.ts';
import type { Upstream } from '../mirror/upstream/upstream.ts';
import type { Belonging } from '../core/tree/precedence.ts';
import { FeedFailure, type FeedClient } from './feed-client.ts';
import type { FeedAnswer, FeedSource, RowsBefore } from './feed-source.ts';
import { convertedOr, type FeedRows, type StoredAdvisory, type StoredEntry } from './model/feed-rows.ts';
import { upstreamNamed } from './named-feed.ts';
import { createRowBudget } from './row-budget.ts';
import { advisoriesIn, entriesIn, entriesInSummary } from './upstream-rows.ts';

/** The owner of a name, by the present settings and private names. */
export type Belongs = (name: PackageName) => Belonging;

export interface UpstreamFeedOptions {
  readonly upstream: Upstream;
  readonly client: FeedClient;
  readonly belongs: () => Promise<Belongs>;
}

export function createUpstreamFeed({ upstream, client, belongs }: UpstreamFeedOptions): FeedSource {
  const { address: url } = upstream;
  return {
    ...upstreamNamed({ id: upstream.id, url }),
    mine: async (names) => namesOf(upstream, names, await belongs()),
    ask: async (names, before, signal) => askAll(names, before, upstream, client, signal),
    askAbout: async (name, signal) => {
      const { rows, failure } = await askAll([name], () => undefined, upstream, client, signal);
      const found = rows.get(name);
      if (found === undefined) throw new FeedFailure('unreachable', failure ?? `${url} did not answer.`);
      return found;
    },
  };
}

/** Throws as long as the private names are unknown: then no name goes to an upstream, and no list changes (I9). */
function namesOf(upstream: Upstream, names: Iterable<PackageName>, belongs: Belongs): readonly PackageName[] {
  const found: PackageName[] = [];
  for (const name of names) {
    const belonging = belongs(name);
    if (belonging.to === 'nobody' && belonging.unknown === true) throw new PrivateNamesUnknown();
    if (belonging.to === 'upstreams' && belonging.ids.includes(upstream.id)) found.push(name);
  }
  return found;
}

async function askAll(
  names: readonly PackageName[],
  before: RowsBefore,
  upstream: Upstream,
  client: FeedClient,
  signal: AbortSignal,
): Promise<FeedAnswer> {
  const rows = new Map<PackageName, FeedRows>();
  try {
    const asking = await prepare(upstream, client, signal, names);
    const spend = createRowBudget(upstream.address);
    for (let from = 0; from < names.length; from += namesInRequest) {
      const some = new Set(names.slice(from, from + namesInRequest));
      const [advisories, entries] = [await asking.advisories(some), await asking.entries(some)];
      for (const name of some) {
        const known = new Map(before(name)?.advisories.map((advisory) => [advisory.id, advisory]));
        const said = advisories.get(name) ?? [];
        for (const row of [...said, ...(entries.get(name) ?? [])]) spend(row);
        rows.set(name, {
          advisories: said.map((advisory) => convertedOr(advisory, known.get(advisory.id))),
          entries: entries.get(name) ?? [],
        });
      }
    }
  } catch (error) {
    if (!(error instanceof FeedFailure)) throw error;
    return { rows, failure: error.message, remarks: [], unfinished: false };
  }
  return { rows, failure: undefined, remarks: [], unfinished: false };
}

type Said<Row> = ReadonlyMap<PackageName, readonly Row[]>;
type AskAbout<Row> = (names: ReadonlySet<PackageName>) => Promise<Said<Row>>;

interface Asking {
  readonly advisories: AskAbout<StoredAdvisory>;
  readonly entries: AskAbout<StoredEntry>;
}

async function prepare(
  upstream: Upstream,
  client: FeedClient,
  signal: AbortSignal,
  all: readonly PackageName[],
): Promise<Asking> {
  const { destination } = upstream;
  const { advisories, filter } = await listsOf(upstream);
  const ask = (url: URL, type?: string, text = ''): Promise<JsonValue> =>
    client.ask({ url: url.href, destination, signal, content: type === undefined ? undefined : { type, text } });
  const api = apiUrlOf(advisories, destination.origin);
  return {
    advisories: async (names) =>
      api === undefined
        ? new Map<PackageName, readonly StoredAdvisory[]>()
        : advisoriesIn(
            await ask(api, 'application/x-www-form-urlencoded', advisoriesForm([...names])),
            names,
            shownUrl(api),
          ),
    entries: await prepareEntries(isJsonObject(filter) ? filter : {}, destination.origin, ask, new Set(all)),
  };
}

async function prepareEntries(
  filter: JsonObject,
  origin: string,
  ask: (url: URL, type?: string, text?: string) => Promise<JsonValue>,
  all: ReadonlySet<PackageName>,
): Promise<AskAbout<StoredEntry>> {
  const lists = new Set(switchedOn(filter));
  const urlOf = (said: JsonValue | undefined): URL | undefined =>
    typeof said === 'string' ? parseUrl(said, origin) : undefined;
  const [api, summary] = [urlOf(filter['api-url']), urlOf(filter['summary-url'])];
  const nothing: Said<StoredEntry> = new Map();
  if (lists.size === 0) return () => Promise.resolve(nothing);
  if (api !== undefined)
    return async (names) => {
      const packages = [...names].map((name) => `pkg://composer/${name}`);
      const text = JSON.stringify({ packages, lists: [...lists] });
      return entriesIn(await ask(api, 'application/json', text), { names, lists }, shownUrl(api));
    };
  if (summary === undefined) return () => Promise.resolve(nothing);
  const whole = entriesInSummary(await ask(summary), { names: all, lists }, shownUrl(summary));
  return () => Promise.resolve(whole);
}

async function listsOf(upstream: Upstream): Promise<Awaited<ReturnType<Upstream['facts']>>> {
  try {
    return await upstream.facts();
  } catch (error) {
    if (!(error instanceof UpstreamUnavailable)) throw error;
    throw new FeedFailure('unreachable', error.message, { cause: error });
  }
}
