// Reads the packages of an older upstream, whose packages.json includes other files. A file with a SHA-1 must match it,
// and is fetched again only when its SHA-1 changes. A file without a SHA-1 is fetched again when it is no longer fresh,
// even if packages.json is unchanged.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { DocumentStore, CachedDocument } from './document-store.ts';
import { UpstreamUnavailable } from './mirror-failure.ts';
import { includesOf, maxIncludes, recordsByName, type Include } from './upstream-root.ts';

type Packages = ReadonlyMap<string, readonly JsonObject[]>;

export interface Included extends Omit<CachedDocument<Packages>, 'value'> {
  readonly packages: Packages;
}

interface File extends Included {
  /** the files that it includes itself */
  readonly includes: readonly Include[];
}

interface Last {
  readonly includes: readonly Include[];
  readonly included: Promise<Included>;
  goodUntilMs: number;
}

export class IncludedPackages {
  readonly #store: DocumentStore;
  readonly #rootUrl: URL;
  readonly #now: () => number;
  #files: ReadonlyMap<string, File> = new Map();
  #last: Last | undefined;

  /** `store`: of documents that have to be there. */
  constructor(store: DocumentStore, rootUrl: URL, now: () => number) {
    this.#store = store;
    this.#rootUrl = rootUrl;
    this.#now = now;
  }

  /**
   * The contents of all these files: the same object until one of them has to be requested again. Rejects with
   * UpstreamUnavailable.
   */
  of(includes: readonly Include[]): Promise<Included> {
    if (this.#last?.includes === includes && this.#now() < this.#last.goodUntilMs) return this.#last.included;
    const included = this.#merged(includes);
    const last: Last = { includes, included, goodUntilMs: Number.POSITIVE_INFINITY };
    this.#last = last;
    included.then(
      ({ goodUntilMs }) => (last.goodUntilMs = goodUntilMs),
      () => (last.goodUntilMs = 0),
    );
    return included;
  }

  async #merged(includes: readonly Include[]): Promise<Included> {
    const files = new Map<string, File>();
    const queue = [...includes];
    for (const include of queue) {
      if (files.has(includeKey(include))) continue;
      // an omitted file would make its packages count as missing
      if (files.size === maxIncludes)
        throw new UpstreamUnavailable(
          `${this.#rootUrl.href} includes more than ${maxIncludes} files.`,
          this.#now() + unusableMs,
        );
      const file = await this.#read(include);
      files.set(includeKey(include), file);
      queue.push(...file.includes);
    }
    this.#files = files;
    const all = [...files.values()];
    const packages = new Map<string, readonly JsonObject[]>();
    for (const file of all)
      for (const [name, records] of file.packages) packages.set(name, [...(packages.get(name) ?? []), ...records]);
    return { packages, ...together(all) };
  }

  async #read(include: Include): Promise<File> {
    const key = includeKey(include);
    const known = this.#files.get(key);
    if (known !== undefined && this.#now() < known.goodUntilMs) return known;
    const { url, sha1 } = include;
    const { value, ...kept } = await this.#store.get(key, url, (json, bytes) => {
      const found = sha1 === undefined ? undefined : createHash('sha1').update(bytes).digest('hex');
      if (found !== sha1) throw new Error(`its SHA-1 is ${found ?? ''}, and packages.json says ${sha1 ?? ''}`);
      if (!isJsonObject(json)) throw new Error('it is not a JSON object');
      return { packages: recordsByName(json['packages']), includes: includesOf(json, this.#rootUrl) };
    });
    const { packages, includes } = value ?? { packages: new Map<string, never>(), includes: [] };
    return sha1 === undefined
      ? { packages, includes, ...kept }
      : { packages, includes, ...kept, staleSinceMs: undefined, goodUntilMs: Number.POSITIVE_INFINITY };
  }
}

/** Its file name, below the folder of its upstream. */
export function includeKey({ url, sha1 }: Include): string {
  return join(
    '_include',
    `${createHash('sha256')
      .update(`${url.href} ${sha1 ?? ''}`)
      .digest('hex')}.json`,
  );
}

const unusableMs = 30_000;

type State = Omit<CachedDocument<unknown>, 'value'>;

/** The state of a combination: it changes with each part, and is as old as its oldest part. */
export function together(all: readonly State[]): State {
  const stale = all.flatMap(({ staleSinceMs }) => staleSinceMs ?? []);
  return {
    digest: createHash('sha256')
      .update(all.map(({ digest }) => digest).join(' '))
      .digest('hex'),
    changedAtMs: Math.max(0, ...all.map(({ changedAtMs }) => changedAtMs)),
    staleSinceMs: stale.length === 0 ? undefined : Math.min(...stale),
    goodUntilMs: Math.min(Number.POSITIVE_INFINITY, ...all.map(({ goodUntilMs }) => goodUntilMs)),
  };
}
