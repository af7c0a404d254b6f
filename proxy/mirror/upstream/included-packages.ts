// Reads the files that packages.json of an older upstream includes: with its packages, or with the digests of their
// documents. A file with a digest must match it, and is fetched again only when its digest changes. A file without one
// is fetched again when it is no longer fresh, even if packages.json is unchanged.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject } from '../../../build/contract/json.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import type { DocumentStore, CachedDocument } from './document-store.ts';
import { UpstreamUnavailable } from './mirror-failure.ts';
import { maxIncludes, type Include, type ListedFile, type ParseListed } from './upstream-root.ts';

export interface Included<Entry> extends Omit<CachedDocument<unknown>, 'value'>, Pick<ListedFile<Entry>, 'entries'> {}

interface File<Entry> extends Included<Entry>, ListedFile<Entry> {}

interface Last<Entry> {
  readonly includes: readonly Include[];
  readonly included: Promise<Included<Entry>>;
  goodUntilMs: number;
}

/** `Entry`: what the files say of each package. */
export class IncludedPackages<Entry> {
  readonly #store: DocumentStore;
  readonly #rootUrl: URL;
  readonly #now: () => number;
  readonly #parse: ParseListed<Entry>;
  #files: ReadonlyMap<string, File<Entry>> = new Map();
  #last: Last<Entry> | undefined;

  /** `store`: of documents that have to be there. */
  constructor(store: DocumentStore, rootUrl: URL, now: () => number, parse: ParseListed<Entry>) {
    this.#store = store;
    this.#rootUrl = rootUrl;
    this.#now = now;
    this.#parse = parse;
  }

  /** Asks the store again for the files that may have changed. */
  forget(): void {
    this.#last = undefined;
    this.#files = new Map([...this.#files].filter(([, { goodUntilMs }]) => goodUntilMs === Number.POSITIVE_INFINITY));
  }

  /**
   * The contents of all these files: the same object until one of them has to be requested again. Rejects with
   * UpstreamUnavailable.
   */
  of(includes: readonly Include[]): Promise<Included<Entry>> {
    if (this.#last?.includes === includes && this.#now() < this.#last.goodUntilMs) return this.#last.included;
    const included = this.#merged(includes);
    const last: Last<Entry> = { includes, included, goodUntilMs: Number.POSITIVE_INFINITY };
    this.#last = last;
    included.then(
      ({ goodUntilMs }) => (last.goodUntilMs = goodUntilMs),
      () => (last.goodUntilMs = 0),
    );
    return included;
  }

  async #merged(includes: readonly Include[]): Promise<Included<Entry>> {
    const files = new Map<string, File<Entry>>();
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
    const entries = new Map<string, readonly Entry[]>();
    const turn = createTurns();
    for (const file of all)
      for (const [name, more] of file.entries) {
        entries.set(name, [...(entries.get(name) ?? []), ...more]);
        await turn();
      }
    return { entries, ...together(all) };
  }

  async #read(include: Include): Promise<File<Entry>> {
    const key = includeKey(include);
    const known = this.#files.get(key);
    if (known !== undefined && this.#now() < known.goodUntilMs) return known;
    const { url, sha1, sha256 } = include;
    const parse = (json: unknown, bytes: Buffer): ListedFile<Entry> => {
      const found = sha1 === undefined ? undefined : createHash('sha1').update(bytes).digest('hex');
      if (found !== sha1) throw new Error(`its SHA-1 is ${found ?? ''}, and packages.json says ${sha1 ?? ''}`);
      if (!isJsonObject(json)) throw new Error('it is not a JSON object');
      return this.#parse(json, this.#rootUrl);
    };
    const { value, ...kept } = await this.#store.get(key, url, parse, { sha256 });
    const { entries, includes } = value ?? { entries: new Map<string, never>(), includes: [] };
    return sha1 === undefined
      ? { entries, includes, ...kept }
      : { entries, includes, ...kept, staleSinceMs: undefined, goodUntilMs: Number.POSITIVE_INFINITY };
  }
}

/** Its file name, below the folder of its upstream. */
export function includeKey({ url, sha1, sha256 }: Include): string {
  return join(
    '_include',
    `${createHash('sha256')
      .update(`${url.href} ${sha1 ?? sha256 ?? ''}`)
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
