// One upstream Composer repository: what it says of a package, whichever way it publishes it (metadata-url, providers-lazy-url, or everything in
// packages.json and what that includes).

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { providerPath } from '../../build/contract/paths.ts';
import { DocumentStore, type Freshness, type KeptDocument } from './document-store.ts';
import type { KeptDocuments } from './kept-documents.ts';
import type { Tell } from './mirror-event.ts';
import type { UpstreamScope } from './precedence.ts';
import type { Destination, UpstreamClient } from './upstream-client.ts';
import type { GivenCredential } from './upstream-credential.ts';
import { nothingSaid, parseUpstreamDocumentInTurns, type UpstreamDocument } from './upstream-document.ts';
import { parseUpstreamRoot, recordsByName, rootUrlOf, type DistMirror, type Include, type UpstreamRoot } from './upstream-root.ts';

export interface UpstreamSettings extends UpstreamScope {
  /** of the repository, or of its packages.json; without user, query and fragment */
  readonly url: string;
  readonly credential?: GivenCredential | undefined;
}

export interface UpstreamOptions {
  readonly settings: UpstreamSettings;
  /** of all upstreams */
  readonly folder: string;
  readonly client: UpstreamClient;
  readonly kept: KeptDocuments;
  readonly freshness: () => Freshness;
  readonly now: () => number;
  readonly tell: Tell;
}

export type Stability = 'stable' | 'dev';

/** What an upstream says of a package, of both stabilities where `layout` has one document for them. */
export type Offer = Omit<KeptDocument<UpstreamDocument>, 'value'> & { readonly document: UpstreamDocument };

export class Upstream {
  readonly id: string;
  readonly destination: Destination;
  /** where its documents are kept */
  readonly folder: string;
  readonly #rootUrl: URL;
  readonly #store: DocumentStore;
  readonly #now: () => number;
  #root: KeptDocument<UpstreamRoot> | undefined;
  #inline: { readonly digest: string; readonly packages: ReadonlyMap<string, readonly JsonObject[]> } | undefined;

  constructor({ settings, folder, client, kept, freshness, now, tell }: UpstreamOptions) {
    this.id = settings.id;
    this.#rootUrl = rootUrlOf(settings.url);
    this.destination = { origin: this.#rootUrl.origin, credential: settings.credential };
    this.folder = join(folder, folderOf(this.#rootUrl));
    this.#store = new DocumentStore({ folder: this.folder, client, kept, destination: this.destination, upstream: settings.id, freshness, now, tell });
    this.#now = now;
  }

  /** undefined: it has no such package, or none of this stability. Rejects with UpstreamUnavailable. */
  async offer(name: PackageName, stability: Stability): Promise<Offer | undefined> {
    const root = await this.#readRoot();
    const { value } = root;
    const inPlace = value.packages.get(name);
    if (inPlace !== undefined && inPlace.length > 0) return offerOf(root, inPlace);
    if (!value.mayHave(name)) return undefined;
    const { layout } = value;
    if (layout.kind === 'inline') return this.#inlineOffer(name, root, layout.includes);
    const path = providerPath(name, layout.kind === 'lazy' ? 'stable' : stability);
    const asked = layout.kind === 'v2' && stability === 'dev' ? `${name}~dev` : name;
    const { value: document, ...kept } = await this.#store.get(path, new URL(layout.template.replaceAll('%package%', asked)), (json) => parseUpstreamDocumentInTurns(json, name));
    return document === undefined ? undefined : { ...kept, document };
  }

  /** Where archives are besides where records say. */
  async mirrors(): Promise<readonly DistMirror[]> {
    return (await this.#readRoot()).value.mirrors;
  }

  /** What packages.json says of advisories and filter lists. */
  async lists(): Promise<Pick<UpstreamRoot, 'advisories' | 'filter'>> {
    return (await this.#readRoot()).value;
  }

  async #readRoot(): Promise<KeptDocument<UpstreamRoot> & { readonly value: UpstreamRoot }> {
    const known = this.#root;
    const root = known !== undefined && this.#now() < known.goodUntilMs ? known : await this.#store.get('packages.json', this.#rootUrl, (json) => parseUpstreamRoot(json, this.#rootUrl));
    this.#root = root;
    return { ...root, value: root.value ?? nowhere };
  }

  async #inlineOffer(name: PackageName, root: KeptDocument<UpstreamRoot>, includes: readonly Include[]): Promise<Offer | undefined> {
    if (this.#inline?.digest !== root.digest) this.#inline = { digest: root.digest, packages: await this.#readIncludes(includes) };
    const records = this.#inline.packages.get(name);
    return records === undefined ? undefined : offerOf(root, records);
  }

  async #readIncludes(includes: readonly Include[]): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
    const packages = new Map<string, JsonObject[]>();
    for (const { url, sha1 } of includes) {
      const key = join('_include', `${createHash('sha256').update(`${url.href} ${sha1 ?? ''}`).digest('hex')}.json`);
      const { value } = await this.#store.get(key, url, (json) => recordsByName((json as { packages?: JsonObject } | null)?.packages));
      for (const [name, records] of value ?? []) packages.set(name, [...(packages.get(name) ?? []), ...records]);
    }
    return packages;
  }
}

/** An upstream without packages.json has nothing. */
const nowhere: UpstreamRoot = { layout: { kind: 'inline', includes: [] }, packages: new Map(), mayHave: () => false, mirrors: [], advisories: undefined, filter: undefined };

function offerOf({ digest, changedAtMs, staleSinceMs, goodUntilMs }: KeptDocument<UpstreamRoot>, versions: readonly JsonObject[]): Offer {
  return { digest, changedAtMs, staleSinceMs, goodUntilMs, document: { ...nothingSaid, versions } };
}

/** By the whole address: another one is another upstream, whatever it is called. */
export function folderOf(rootUrl: URL): string {
  return `${rootUrl.host.replaceAll(/[^a-z0-9.-]/g, '_')}-${createHash('sha256').update(rootUrl.href).digest('hex').slice(0, 12)}`;
}
