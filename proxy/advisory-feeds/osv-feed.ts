// OSV (osv.dev) as a feed. A run asks which advisories there are about each package, and reads those that are new or
// changed. A run reads a limited number of them, and the next run goes on.

import pLimit from 'p-limit';
import { isJsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { FeedFailure, type FeedClient } from './feed-client.ts';
import type { FeedAnswer, FeedSource, RowsBefore } from './feed-source.ts';
import { convertedOr, type FeedRows, type StoredAdvisory } from './model/feed-rows.ts';
import {
  listAdvisories,
  packageQuery,
  queriesInRequest,
  readHead,
  tokenOf,
  vulnsOf,
  type ListedAdvisory,
} from './osv-listing.ts';
import { osvNamed } from './named-feed.ts';
import { createRowBudget, type RowBudget } from './row-budget.ts';

/** Loaded with the first answer of OSV, because it calculates CVSS with a library as large as a feature. */
const advisories = (): Promise<typeof import('./osv/osv-advisory.ts')> => import('./osv/osv-advisory.ts');

export interface OsvOptions {
  /** without a path: `https://api.osv.dev` */
  readonly url: string;
  readonly client: FeedClient;
  /** the names that OSV may learn; default: all */
  readonly about?: ((name: PackageName) => MaybeAsync<boolean>) | undefined;
  /** the most advisories that one run reads */
  readonly readsInRun?: number | undefined;
}

const standardReads = 2000;
const readsAtOnce = 4;
const mostPages = 10;

export function createOsvFeed({ url, client, about = () => true, readsInRun = standardReads }: OsvOptions): FeedSource {
  const base = url.replace(/\/+$/, '');
  return {
    ...osvNamed(url),
    mine: async (names) => {
      const mine: PackageName[] = [];
      for (const name of names) if (await about(name)) mine.push(name);
      return mine;
    },
    ask: async (names, before, signal) => {
      const asking: Asking = { base, client, signal, spend: createRowBudget(base) };
      const { listed, failure } = await listAll(names, asking);
      const wanted = failure === undefined ? unread(listed, before) : new Map<string, Wanted>();
      const reading = await readAll([...wanted.values()].slice(0, readsInRun), asking);
      return await assemble(listed, before, {
        ...reading,
        failure: failure ?? reading.failure,
        waiting: Math.max(0, wanted.size - readsInRun),
      });
    },
    askAbout: (name, signal) => askAbout(name, base, client, signal),
  };
}

/** What one run needs. */
interface Asking {
  readonly base: string;
  readonly client: FeedClient;
  readonly signal: AbortSignal;
  readonly spend: RowBudget;
}

interface Listing {
  readonly listed: ReadonlyMap<PackageName, readonly ListedAdvisory[]>;
  readonly failure: string | undefined;
}

/** Stops at the first failure: what was answered before it counts. */
async function listAll(names: readonly PackageName[], { base, client, signal, spend }: Asking): Promise<Listing> {
  const listed = new Map<PackageName, readonly ListedAdvisory[]>();
  for (let from = 0; from < names.length; from += queriesInRequest) {
    try {
      const some = await listAdvisories(names.slice(from, from + queriesInRequest), base, client, signal, spend);
      for (const [name, advisories] of some) listed.set(name, advisories);
    } catch (error) {
      if (!(error instanceof FeedFailure)) throw error;
      return { listed, failure: error.message };
    }
  }
  return { listed, failure: undefined };
}

/** One advisory to read, and the packages that it is about. */
interface Wanted extends ListedAdvisory {
  readonly names: PackageName[];
}

/** The listed advisories that the copy in use does not have, or has in another state. */
function unread(listed: Listing['listed'], before: RowsBefore): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const [name, advisories] of listed) {
    const known = new Map(before(name)?.advisories.map(({ id, modified }) => [id, modified]));
    for (const advisory of advisories) {
      if (known.get(advisory.id) === advisory.modified) continue;
      const one = wanted.get(advisory.id) ?? { ...advisory, names: [] };
      one.names.push(name);
      wanted.set(advisory.id, one);
    }
  }
  return wanted;
}

interface Reading {
  /** by identifier, then by package; undefined: the advisory is not about the package */
  readonly read: ReadonlyMap<string, ReadonlyMap<PackageName, StoredAdvisory | undefined>>;
  readonly failure: string | undefined;
  /** the number of advisories that OSV lists and does not deliver */
  readonly unusable: number;
}

/** A server that does not answer ends the run; one advisory that is missing or malformed does not. */
async function readAll(wanted: readonly Wanted[], { base, client, signal, spend }: Asking): Promise<Reading> {
  const read = new Map<string, ReadonlyMap<PackageName, StoredAdvisory | undefined>>();
  let failure: string | undefined;
  let unusable = 0;
  const readOne = async (one: Wanted): Promise<void> => {
    if (failure !== undefined) return;
    try {
      const json = await client.ask({ url: `${base}/v1/vulns/${encodeURIComponent(one.id)}`, signal });
      if (!isJsonObject(json) || json['id'] !== one.id) unusable += 1;
      else {
        const { advisoryFor } = await advisories();
        const about = one.names.map((name) => [name, advisoryFor(name, json, one)] as const);
        for (const [, row] of about) spend(row ?? one);
        read.set(one.id, new Map(about));
      }
    } catch (error) {
      if (!(error instanceof FeedFailure)) throw error;
      if (error.kind === 'unreachable') failure ??= error.message;
      else unusable += 1;
    }
  };
  const limit = pLimit(readsAtOnce);
  await Promise.all(wanted.map((one) => limit(() => readOne(one))));
  return { read, failure, unusable };
}

async function assemble(
  listed: Listing['listed'],
  before: RowsBefore,
  { read, failure, unusable, waiting }: Reading & { readonly waiting: number },
): Promise<FeedAnswer> {
  const { malwareEntries } = await advisories();
  const rows = new Map<PackageName, FeedRows>();
  let foreign = 0;
  for (const [name, advisories] of listed) {
    const known = new Map(before(name)?.advisories.map((advisory) => [advisory.id, advisory]));
    const unread = advisories.filter(({ id, modified }) => known.get(id)?.modified !== modified && !read.has(id));
    const stored = new Map<string, StoredAdvisory>();
    for (const { id } of advisories) {
      const said = read.get(id);
      const [now, earlier] = [said?.get(name), known.get(id)];
      if (said !== undefined && now === undefined) foreign += 1;
      const advisory = now === undefined ? earlier : convertedOr(now, earlier);
      if (advisory !== undefined) stored.set(id, advisory);
    }
    // OSV may have replaced one advisory by another: as long as a new one is unread, no old one goes
    if (unread.length > 0) for (const [id, advisory] of known) if (!stored.has(id)) stored.set(id, advisory);
    const all = [...stored.values()];
    rows.set(name, { advisories: all, entries: malwareEntries(all) });
  }
  return { rows, failure, unfinished: waiting > 0, remarks: remarksOn({ unusable, foreign, waiting }) };
}

function remarksOn(counts: {
  readonly unusable: number;
  readonly foreign: number;
  readonly waiting: number;
}): readonly string[] {
  const { unusable, foreign, waiting } = counts;
  return [
    ...(unusable > 0 ? [`OSV lists ${unusable} advisories that it does not deliver in a readable form.`] : []),
    ...(foreign > 0 ? [`OSV lists ${foreign} advisories for packages that they are not about.`] : []),
    ...(waiting > 0 ? [`${waiting} advisories are read in the next run.`] : []),
  ];
}

/** POST /v1/query answers with whole advisories. */
async function askAbout(name: PackageName, base: string, client: FeedClient, signal: AbortSignal): Promise<FeedRows> {
  const { advisoryFor, malwareEntries } = await advisories();
  const found = new Map<string, StoredAdvisory>();
  let token: string | undefined;
  for (let page = 0; page === 0 || token !== undefined; page += 1) {
    if (page === mostPages) throw new FeedFailure('refused', `${base} has more than ${mostPages} pages about ${name}.`);
    const text = JSON.stringify(packageQuery(name, token));
    const answer = await client.ask({
      url: `${base}/v1/query`,
      content: { type: 'application/json', text },
      signal,
    });
    for (const one of vulnsOf(answer, base)) {
      const head = readHead(one);
      const advisory = head === undefined ? undefined : advisoryFor(name, one, head);
      if (advisory === undefined)
        throw new FeedFailure('refused', `${base} answered with advisories not about ${name}.`);
      found.set(advisory.id, advisory);
    }
    token = tokenOf(answer, base);
  }
  const all = [...found.values()];
  return { advisories: all, entries: malwareEntries(all) };
}
