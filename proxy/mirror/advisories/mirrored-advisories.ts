// The security advisories of mirrored packages, from stored documents and from the upstream's own `api-url`. Answers of
// the latter are cached for a short time. An upstream that fails or is slow contributes nothing new, and causes no
// error.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { parseJsonYielding } from '../../../build/shared/json/incremental-json.ts';
import {
  isComplete,
  normalizeAdvisories,
  usableAdvisories,
  type UpstreamAdvisoryContext,
} from './normalize-advisory.ts';
import { UpstreamUnavailable } from '../upstream/mirror-failure.ts';
import { findOffer } from '../upstream/find-offer.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

/** The names that belong to upstreams, with their upstreams in order. I9: no other name may be in this map. */
export type Belongings = ReadonlyMap<PackageName, readonly Upstream[]>;

type Advisories = ReadonlyMap<PackageName, readonly JsonObject[]>;

/** The advisories of a document. */
export interface DocumentAdvisories {
  /** undefined: the document contains no list of advisories */
  readonly advisories: readonly JsonObject[] | undefined;
  /** true: the entry differs from the upstream's document */
  readonly differs: boolean;
  /** epoch milliseconds: when more may be known of it */
  readonly changesAtMs: number | undefined;
}

interface Known {
  readonly advisories: readonly JsonObject[];
  readonly untilMs: number;
}

const rememberedMs = 300_000;
const rememberedBytes = 8 * 1024 ** 2;
/** The time that a request waits for an upstream. */
const patienceMs = 5000;
/** The same for a document. */
const documentPatienceMs = 2000;
/** The most names in one request to an `api-url`. */
export const namesInRequest = 500;
const packagesAtOnce = 16;

export class MirroredAdvisories {
  readonly #client: UpstreamClient;
  readonly #now: () => number;
  readonly #known = new ByteCache<Known>(rememberedBytes);
  readonly #asking = new SingleFlight<void>();

  constructor(client: UpstreamClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /**
   * The advisories in a document of this upstream, each completed (normalize-advisory.ts). Never rejects, and waits for
   * two seconds at most.
   */
  async inDocument(name: PackageName, upstream: Upstream, said: JsonValue | undefined): Promise<DocumentAdvisories> {
    if (!Array.isArray(said)) return { advisories: undefined, differs: said !== undefined, changesAtMs: undefined };
    const usable = await usableAdvisories(said);
    const isLacking = !usable.every((advisory) => isComplete(advisory, name));
    if (isLacking) await withDeadline(this.#ask(upstream, [name]), documentPatienceMs, () => undefined);
    const known = this.#known.get(keyOf(upstream, name));
    const advisories = normalizeAdvisories(usable, contextOf(upstream, name, known));
    const isUnknown = isLacking && (known?.untilMs ?? 0) <= this.#now();
    return {
      advisories,
      differs: advisories.length < said.length || advisories.some((advisory, at) => advisory !== said[at]),
      changesAtMs: isUnknown ? this.#now() + rememberedMs : undefined,
    };
  }

  /** Complete ones only: `composer audit` fails on others (SecurityAdvisory.php). */
  async of(belongings: Belongings): Promise<Advisories> {
    const found = new Map<PackageName, readonly JsonObject[]>();
    const answers = new Map<PackageName, JsonValue | undefined>();
    const byUpstream = new Map<Upstream, PackageName[]>();
    const names = [...belongings];
    for (let from = 0; from < names.length; from += packagesAtOnce) {
      await Promise.all(
        names.slice(from, from + packagesAtOnce).map(async ([name, upstreams]) => {
          const offered = await orNothing(() =>
            withDeadline(findOffer(name, 'stable', upstreams), patienceMs, () => undefined),
          );
          if (offered === undefined) return;
          byUpstream.set(offered.upstream, [...(byUpstream.get(offered.upstream) ?? []), name]);
          answers.set(name, offered.offer?.document.advisories);
        }),
      );
    }
    for (const [upstream, asked] of byUpstream) {
      for (let from = 0; from < asked.length; from += namesInRequest)
        await withDeadline(this.#ask(upstream, asked.slice(from, from + namesInRequest)), patienceMs, () => undefined);
      for (const name of asked) {
        const known = this.#known.get(keyOf(upstream, name));
        found.set(
          name,
          joined(
            known?.advisories ?? [],
            normalizeAdvisories(await usableAdvisories(answers.get(name)), contextOf(upstream, name, known)),
          ),
        );
      }
    }
    return found;
  }

  async #ask(upstream: Upstream, names: readonly PackageName[]): Promise<void> {
    const wanted = names
      .filter((name) => (this.#known.get(keyOf(upstream, name))?.untilMs ?? 0) <= this.#now())
      .toSorted();
    if (wanted.length === 0) return undefined;
    const key = `${upstream.id}\n${wanted.join('\n')}`;
    return this.#asking.run(key, () => this.#learn(upstream, wanted));
  }

  /** Advisories that could not be fetched stay as last known. */
  async #learn(upstream: Upstream, names: readonly PackageName[]): Promise<void> {
    await orNothing(async () => {
      const url = apiUrlOf((await upstream.facts()).advisories, upstream.destination.origin);
      if (url === undefined) return this.#keep(upstream, names, {});
      const answer = await this.#client.document(url, upstream.destination, undefined, advisoriesForm(names));
      const advisories = answer.outcome === 'fetched' ? await advisoriesIn(answer.bytes) : {};
      await this.#keep(upstream, names, advisories);
    });
  }

  async #keep(upstream: Upstream, names: readonly PackageName[], said: JsonObject): Promise<void> {
    const untilMs = this.#now() + rememberedMs;
    for (const name of names) {
      const own = listOf(said[name]).filter(
        (one) => isJsonObject(one) && parsePackageName(String(one['packageName']).toLowerCase()) === name,
      );
      const advisories = normalizeAdvisories(await usableAdvisories(own), contextOf(upstream, name, undefined));
      this.#known.set(
        keyOf(upstream, name),
        { advisories, untilMs },
        name.length + 128 + JSON.stringify(advisories).length,
      );
    }
  }
}

/** If two have one identifier, the first counts. */
export function joined(first: readonly JsonObject[], others: readonly JsonObject[]): readonly JsonObject[] {
  const known = new Set(first.map(({ advisoryId }) => advisoryId));
  return [...first, ...others.filter(({ advisoryId }) => !known.has(advisoryId))];
}

function keyOf({ id, destination }: Upstream, name: PackageName): string {
  return `${id} ${destination.origin} ${name}`;
}

/**
 * `api-url` in `security-advisories` of packages.json (ComposerRepository.php, loadRootServerFile); undefined: the
 * upstream has no such API.
 */
export function apiUrlOf(said: JsonValue | undefined, origin: string): URL | undefined {
  const url = isJsonObject(said) ? said['api-url'] : undefined;
  return typeof url === 'string' ? parseUrl(url, origin) : undefined;
}

/** The body of a request to an `api-url`. */
export function advisoriesForm(names: readonly PackageName[]): string {
  return new URLSearchParams(names.map((name): [string, string] => ['packages[]', name])).toString();
}

async function advisoriesIn(bytes: Buffer): Promise<JsonObject> {
  const json = await parseJsonYielding(bytes);
  const { advisories } = isJsonObject(json) ? json : {};
  return isJsonObject(advisories) ? advisories : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function contextOf({ destination }: Upstream, name: PackageName, known: Known | undefined): UpstreamAdvisoryContext {
  return { name, host: new URL(destination.origin).host, known: known?.advisories ?? [] };
}

async function orNothing<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UpstreamUnavailable || error instanceof SyntaxError || error instanceof RangeError)
      return undefined; // the last: JSON that is nested too deep
    throw error;
  }
}
