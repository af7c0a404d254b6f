// One upstream Composer repository: reads its packages from any of its formats (metadata-url, providers-lazy-url,
// providers-url, or packages.json with its included files).

import { join } from 'node:path';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { shownUrl } from '../../../build/egress/egress-failure.ts';
import { providerPath } from '../../../build/contract/paths.ts';
import { DocumentStore, type CachedDocument, type Freshness, type ParseDocument } from './document-store.ts';
import { documentOf, FollowedChanges } from './followed-changes.ts';
import { IncludedPackages, together } from './included-packages.ts';
import type { CachedDocuments } from './cached-documents.ts';
import { joinedDocument, type Stability } from './joined-documents.ts';
import { readListedNames } from './listed-names.ts';
import type { ReportMirrorEvent } from './mirror-event.ts';
import { UpstreamUnavailable } from './mirror-failure.ts';
import { Silence } from './silence.ts';
import { folderOf, storedDocument } from './stored-document.ts';
import type { UpstreamScope } from '../../core/tree/precedence.ts';
import type { UpstreamClient } from './upstream-client.ts';
import type { ConfiguredCredential, Destination } from './upstream-credential.ts';
import { nothingSaid, parseUpstreamDocumentYielding, type UpstreamDocument } from './upstream-document.ts';
import {
  addressOf,
  hashesIn,
  packagesIn,
  parseUpstreamRoot,
  rootUrlOf,
  withHash,
  type Layout,
  type UpstreamRoot,
} from './upstream-root.ts';

export interface UpstreamSettings extends UpstreamScope {
  /** the repository's address, or that of its packages.json; without user, query and fragment */
  readonly url: string;
  readonly credential?: ConfiguredCredential | undefined;
  /** the public registry: its feed of changes names thousands of documents that nobody here uses */
  readonly isPublic?: boolean | undefined;
}

export interface UpstreamOptions {
  readonly settings: UpstreamSettings;
  /** the folder of all upstreams */
  readonly folder: string;
  readonly client: UpstreamClient;
  readonly kept: CachedDocuments;
  readonly freshness: () => Freshness;
  readonly now: () => number;
  readonly report: ReportMirrorEvent;
}

export type { Stability } from './joined-documents.ts';

/** A miss asks for the list of names again, unless that was checked this short time ago. */
const listMs = 10_000;

/** The versions that an upstream has of a package: those of the asked stability, and some or all others. */
export type Offer = Omit<CachedDocument<UpstreamDocument>, 'value'> & { readonly document: UpstreamDocument };

export class Upstream {
  readonly id: string;
  /** of the repository, without `packages.json` */
  readonly address: string;
  readonly destination: Destination;
  readonly changes: FollowedChanges;
  /** the folder of its stored documents */
  readonly folder: string;
  readonly #rootUrl: URL;
  readonly #store: DocumentStore;
  /** packages.json and its included files */
  readonly #index: DocumentStore;
  readonly #included: IncludedPackages<JsonObject>;
  readonly #hashes: IncludedPackages<string>;
  readonly #now: () => number;
  readonly #report: ReportMirrorEvent;
  #root: Root | undefined;
  /** epoch milliseconds, as `since` of the stores */
  #since = { documents: 0, index: 0 };
  #renewedMs = 0;

  constructor({ settings, folder, client, kept, freshness, now, report }: UpstreamOptions) {
    this.id = settings.id;
    this.address = addressOf(settings.url);
    this.#rootUrl = rootUrlOf(settings.url);
    this.destination = { origin: this.#rootUrl.origin, credential: settings.credential };
    this.folder = join(folder, folderOf(this.#rootUrl));
    const { folder: own, destination } = this;
    const silence = new Silence();
    const standard = { folder: own, client, kept, destination, upstream: settings.id, freshness, now, report, silence };
    this.#store = new DocumentStore({ ...standard, since: () => this.#since.documents });
    this.#index = new DocumentStore({ ...standard, areNeeded: true, since: () => this.#since.index });
    this.#included = new IncludedPackages(this.#index, this.#rootUrl, now, packagesIn);
    this.#hashes = new IncludedPackages(this.#index, this.#rootUrl, now, hashesIn);
    this.changes = new FollowedChanges(client, this.destination, now, settings.isPublic !== true);
    this.#now = now;
    this.#report = report;
  }

  /**
   * undefined: the upstream has no such package, or no version of this stability. A package that its list lacks is
   * looked for in a newer list. Rejects with UpstreamUnavailable.
   */
  async offer(name: PackageName, stability: Stability): Promise<Offer | undefined> {
    const root = await this.#readRoot();
    try {
      const found = await this.#offerIn(root, name, stability);
      if (found !== 'unlisted') return found;
    } catch (error) {
      // a new list may name another digest
      if (!(error instanceof UpstreamUnavailable) || root.value.layout.kind !== 'providers-url') throw error;
    }
    const nowMs = this.#now();
    if (Math.abs(nowMs - this.#renewedMs) >= listMs) {
      this.#renewedMs = nowMs;
      this.#forgetLists(nowMs - listMs);
    }
    const found = await this.#offerIn(await this.#readRoot(), name, stability);
    return found === 'unlisted' ? undefined : found;
  }

  /** Asks its feed of changes. undefined: there is none, or nothing to wait for. */
  follow(): Promise<void> | undefined {
    const feed = this.#root?.value.changes;
    return feed && this.changes.refresh(feed);
  }

  /** From now on, lists of names and missing documents are requested again. */
  forget(): void {
    this.#since.documents = this.#now();
    this.#forgetLists(this.#now());
  }

  #forgetLists(sinceMs: number): void {
    this.#since.index = Math.max(this.#since.index, sinceMs);
    this.#root = undefined;
    for (const files of [this.#included, this.#hashes]) files.forget();
  }

  async #offerIn(root: Root, name: PackageName, stability: Stability): Promise<Offer | undefined | 'unlisted'> {
    const { value } = root;
    const inPlace = value.packages.get(name);
    if (inPlace !== undefined && inPlace.length > 0) return offerOf(together([root]), inPlace);
    if (!value.mayHave(name)) return 'unlisted';
    const { layout } = value;
    if (layout.kind === 'packages') {
      const included = await this.#included.of(layout.includes);
      const records = included.entries.get(name);
      return records === undefined ? 'unlisted' : offerOf(together([root, included]), records);
    }
    const read = (template: string, kind: Stability = 'stable'): Promise<CachedDocument<UpstreamDocument>> => {
      const url = new URL(template.replaceAll('%package%', documentOf(name, kind)));
      return this.#store.get(providerPath(name, kind), url, parserOf(name), {
        followed: (checkedAtMs, freshMs) =>
          value.tellsChanges(name) ? this.changes.goodUntil(documentOf(name, kind), checkedAtMs, freshMs) : undefined,
      });
    };
    if (layout.kind === 'metadata-url')
      return inDocument(await joinedDocument(stability, (kind) => read(layout.template, kind)));
    const listed = layout.kind === 'providers-lazy-url' ? undefined : await this.#hashed(root, layout, name);
    const lazy = layout.kind === 'providers-lazy-url' ? layout.template : layout.lazy;
    return listed ?? (lazy === undefined ? 'unlisted' : inDocument(await read(lazy)));
  }

  /** The document whose SHA-256 is in the list. It is as old as the list. */
  async #hashed(
    root: Root,
    { template, entries, includes }: Layout & { readonly kind: 'providers-url' },
    name: PackageName,
  ): Promise<Offer | undefined> {
    const included = await this.#hashes.of(includes);
    const sha256 = (included.entries.get(name) ?? entries.get(name))?.at(-1);
    if (sha256 === undefined) return undefined;
    const url = new URL(withHash(template.replaceAll('%package%', name), sha256));
    const found = await this.#index.get(providerPath(name, 'stable'), url, parserOf(name), { sha256 });
    const { goodUntilMs, staleSinceMs } = together([root, included, found]);
    return inDocument({ ...found, goodUntilMs, staleSinceMs });
  }

  /**
   * The document as it was last received: `offer` without a request, and old. undefined: there is none, as in a
   * repository whose packages.json has all packages.
   */
  async stored(name: PackageName, stability: Stability): Promise<Offer | undefined> {
    const document = await storedDocument(join(this.folder, providerPath(name, stability)), name);
    return document && { document, digest: '', changedAtMs: 0, staleSinceMs: 0, goodUntilMs: 0 };
  }

  /**
   * Confirms that the upstream has no such package. Rejects with UpstreamUnavailable if packages.json lists it: another
   * upstream's package of that name would be a different one.
   */
  async denies(name: PackageName): Promise<void> {
    const { value, goodUntilMs } = await this.#readRoot();
    if (!value.lists(name)) return;
    const message = `${this.#rootUrl.href} lists ${name}, but has no document for it.`;
    this.#report({ kind: 'document-failed', upstream: this.id, url: shownUrl(this.#rootUrl), message, stale: false });
    throw new UpstreamUnavailable(message, goodUntilMs);
  }

  /** The names of all its packages; undefined: it lists them nowhere. Rejects with UpstreamUnavailable. */
  async names(): Promise<readonly string[] | undefined> {
    const { packages, layout } = (await this.#readRoot()).value;
    const more =
      layout.kind === 'packages'
        ? (await this.#included.of(layout.includes)).entries.keys()
        : await readListedNames(this.#index, this.#hashes, this.#rootUrl);
    return more && [...packages.keys(), ...more];
  }

  /**
   * What packages.json says of advisories, of filter lists, and of further addresses of archives. `atMostMs`: how old it
   * may be if the upstream is a registry with a feed, which tells nothing of packages.json.
   */
  async facts(atMostMs?: number): Promise<Pick<UpstreamRoot, 'advisories' | 'filter' | 'mirrors'>> {
    if (atMostMs !== undefined && this.#root?.value.changes !== undefined && this.changes.isFollowed)
      this.#forgetLists(this.#now() - atMostMs);
    return (await this.#readRoot()).value;
  }

  /**
   * A missing packages.json is no proof of a missing package: otherwise the next upstream would get the request, and
   * its package of that name may be a different one.
   */
  async #readRoot(): Promise<Root> {
    const known = this.#root;
    if (known !== undefined && this.#now() < known.goodUntilMs) return known;
    const { value, ...kept } = await this.#index.get('packages.json', this.#rootUrl, (json) =>
      parseUpstreamRoot(json, this.#rootUrl),
    );
    if (value === undefined) throw new Error(`${this.#rootUrl.href} is missing, and counts as there`);
    this.#root = { ...kept, value };
    return this.#root;
  }
}

type Root = CachedDocument<UpstreamRoot> & { readonly value: UpstreamRoot };

function parserOf(name: PackageName): ParseDocument<UpstreamDocument> {
  return (json) => parseUpstreamDocumentYielding(json, name);
}

function inDocument({ value: document, ...kept }: CachedDocument<UpstreamDocument>): Offer | undefined {
  return document === undefined ? undefined : { ...kept, document };
}

function offerOf(state: Omit<Offer, 'document'>, versions: readonly JsonObject[]): Offer {
  return { ...state, document: { ...nothingSaid, versions } };
}
