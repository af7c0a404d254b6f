// Caches the documents of an origin in memory: packages.json and p2. The announcement and the serving index name the
// SHA-256 and the Last-Modified of each published document. No other bytes are ever served (I15), and object storage
// need not keep file times. An unchanged document costs one short request for its index per publication.

import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { rootDocumentPath, type PublicPath } from '../../build/contract/paths.ts';
import type { DocumentStamp, PackageIndex } from '../../build/contract/serving-index.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { TextDocument } from '../core/http/document.ts';
import type { PackageArchives } from '../core/tree/package-archives.ts';
import type { OriginIndexes } from './origin-indexes.ts';
import type { OriginPublication } from './origin-publication.ts';
import type { OriginRequests } from './origin-requests.ts';
import { patienceMs } from '../../build/shared/concurrency/with-deadline.ts';
import { fetchDocument, OtherContent } from './origin-text.ts';
import type { OriginFailureLog } from './origin-failure-log.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';

/** The stamp of a published document; undefined: the path has none. */
type Stamp = { readonly lastModified: number; readonly sha256: string } | undefined;

interface Cached {
  readonly document: TextDocument | undefined;
  readonly stamp: Stamp;
  /** the epoch under which it was last seen to hold */
  epoch: number;
  failedAtMs: number;
}

/** The data of one package from its serving index. */
export interface OriginIndex {
  readonly archives: PackageArchives;
  readonly documents: PackageIndex['documents'];
  /** the unchanged bytes of the origin's file */
  readonly bytes: Buffer;
}

export interface OriginDocumentsOptions {
  readonly requests: OriginRequests;
  readonly publication: OriginPublication;
  readonly indexes: OriginIndexes<OriginIndex>;
  readonly failures: OriginFailureLog;
  readonly limitBytes: number;
  readonly monotonicMs: () => number;
}

const againAfterMs = 1000;

export class OriginDocuments {
  readonly #options: OriginDocumentsOptions;
  readonly #cached: ByteCache<Cached>;
  readonly #loading = new SingleFlight<TextDocument | undefined>();

  constructor(options: OriginDocumentsOptions) {
    this.#options = options;
    this.#cached = new ByteCache(options.limitBytes);
  }

  /**
   * The document as of `epoch`, or the last known one while the origin fails. Rejects with OriginFailure if no document
   * was ever known.
   */
  get(path: PublicPath, epoch: number): MaybeAsync<TextDocument | undefined> {
    const cached = this.#cached.get(path);
    if (cached?.epoch === epoch) return cached.document;
    return this.#checked(path, epoch);
  }

  async #checked(path: PublicPath, epoch: number): Promise<TextDocument | undefined> {
    const stamp = await this.#stamp(path, epoch);
    const known = this.#cached.get(path);
    if (known !== undefined && sameStamp(known.stamp, stamp)) {
      known.epoch = this.#validEpoch(path, epoch);
      return known.document;
    }
    if (stamp === undefined) return this.#store(path, undefined, undefined, epoch);
    if (known !== undefined && this.#options.monotonicMs() - known.failedAtMs < againAfterMs) return known.document;
    const [key, load] = [`${epoch} ${path}`, () => this.#load(path, stamp, epoch)];
    if (known?.document === undefined) return this.#loading.run(key, load);
    return this.#loading.within(key, load, patienceMs, () => known.document);
  }

  /**
   * Returns a never valid epoch after a failed request for the index, so that the next use requests the index again.
   */
  #validEpoch(path: PublicPath, epoch: number): number {
    const name = parseProviderPath(path)?.name;
    return name === undefined || this.#options.indexes.holds(name, epoch) ? epoch : -1;
  }

  /** The memory of `document` has grown by this number of bytes. */
  grow(path: PublicPath, document: TextDocument, bytes: number): void {
    const cached = this.#cached.get(path);
    if (cached?.document === document) this.#cached.grow(path, cached, bytes);
  }

  /** The bytes of a document for a single use, without caching. */
  async bytes(path: PublicPath, epoch: number): Promise<Buffer | undefined> {
    const stamp = await this.#stamp(path, epoch);
    const cached = this.#cached.get(path);
    if (stamp === undefined || (cached?.document !== undefined && sameStamp(cached.stamp, stamp)))
      return stamp === undefined ? undefined : cached?.document?.bytes;
    return this.#fetch(path, stamp);
  }

  async #stamp(path: PublicPath, epoch: number): Promise<Stamp> {
    if (path === rootDocumentPath) return this.#options.publication.root;
    const provider = parseProviderPath(path);
    if (provider === undefined) return undefined;
    return stampOf((await this.#options.indexes.get(provider.name, epoch))?.documents[provider.kind]);
  }

  async #load(path: PublicPath, stamp: NonNullable<Stamp>, epoch: number): Promise<TextDocument | undefined> {
    try {
      const fetched = await this.#fetch(path, stamp).then(
        (bytes) => ({ bytes, stamp }),
        (error: unknown) => this.#fetchAnew(path, stamp, epoch, error),
      );
      return this.#store(
        path,
        new TextDocument(fetched.bytes, fetched.stamp.lastModified * 1000, { sha256: fetched.stamp.sha256 }),
        fetched.stamp,
        epoch,
      );
    } catch (error) {
      this.#options.failures.failed('text', error);
      const cached = this.#cached.get(path);
      if (cached?.document === undefined) throw error;
      cached.failedAtMs = this.#options.monotonicMs();
      return cached.document;
    }
  }

  /** A running upload may have brought either the index or the document: both are fetched once more. */
  async #fetchAnew(
    path: PublicPath,
    stamp: NonNullable<Stamp>,
    epoch: number,
    error: unknown,
  ): Promise<{ readonly bytes: Buffer; readonly stamp: NonNullable<Stamp> }> {
    const provider = parseProviderPath(path);
    if (!(error instanceof OtherContent) || provider === undefined) throw error;
    const now = stampOf((await this.#options.indexes.anew(provider.name, epoch))?.documents[provider.kind]) ?? stamp;
    return { bytes: await this.#fetch(path, now), stamp: now };
  }

  #fetch(path: PublicPath, { sha256 }: NonNullable<Stamp>): Promise<Buffer> {
    const root = path === rootDocumentPath ? this.#options.publication.root : undefined;
    return root?.sha256 === sha256 ? Promise.resolve(root.bytes) : fetchDocument(this.#options.requests, path, sha256);
  }

  #store(path: PublicPath, document: TextDocument | undefined, stamp: Stamp, epoch: number): TextDocument | undefined {
    this.#cached.set(
      path,
      { document, stamp, epoch: this.#validEpoch(path, epoch), failedAtMs: Number.NEGATIVE_INFINITY },
      (document?.weight ?? 0) + 512,
    );
    return document;
  }
}

function stampOf(stamp: DocumentStamp | null | undefined): Stamp {
  return stamp === null || stamp === undefined || stamp.sha256 === null
    ? undefined
    : { lastModified: stamp.last_modified, sha256: stamp.sha256 };
}

function sameStamp(one: Stamp, other: Stamp): boolean {
  return one?.sha256 === other?.sha256 && one?.lastModified === other?.lastModified;
}

/** The inverse of providerPath in contract/paths.ts. */
function parseProviderPath(
  path: PublicPath,
): { readonly name: PackageName; readonly kind: 'stable' | 'dev' } | undefined {
  const match = /^p2\/([^~]+?)(~dev)?\.json$/.exec(path);
  const name = match?.[1] === undefined ? undefined : parsePackageName(match[1]);
  return name === undefined ? undefined : { name, kind: match?.[2] === undefined ? 'stable' : 'dev' };
}
