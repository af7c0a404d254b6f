// Mirrored documents filtered by a view. Each is made once for a view, and cached while its document is unchanged.

import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { dateShiftMs, viewShiftSeconds } from '../../build/shared/caches/date-shift.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { TextDocument } from '../core/http/document.ts';
import type { Viewer } from '../core/protocol/mirrored-packages.ts';
import { passes, type ReleaseFacts, type ReleaseFilter, type View } from '../core/views/view.ts';
import type { Stability } from './upstream/upstream.ts';
import {
  formatProviderDocument,
  readProviderDocument,
  type ExpandedDocument,
} from '../core/documents/provider-document.ts';

interface Seen {
  readonly base: TextDocument;
  /** undefined: the view sees no version of it */
  readonly document: TextDocument | undefined;
}

export class ViewedMirrorDocuments {
  readonly #kept: ByteCache<Seen>;
  readonly #making = new SingleFlight<TextDocument | undefined>();
  readonly #read = new WeakMap<TextDocument, MaybeAsync<ExpandedDocument>>();

  /** `cacheBytes`: memory for the documents. */
  constructor(cacheBytes: number) {
    this.#kept = new ByteCache<Seen>(cacheBytes);
  }

  /** The versions of a document; it is parsed once. */
  versionsOf(document: TextDocument, name: PackageName): MaybeAsync<ExpandedDocument> {
    const known = this.#read.get(document);
    if (known !== undefined) return known;
    const reading = readProviderDocument(document, name);
    this.#read.set(document, reading);
    reading.then(
      (found) => this.#read.set(document, found),
      () => this.#read.delete(document),
    );
    return reading;
  }

  /** undefined: the view sees no version of it. */
  documentFor(
    document: TextDocument,
    name: PackageName,
    stability: Stability,
    { view, filter }: Viewer,
  ): MaybeAsync<TextDocument | undefined> {
    if (view === undefined || filter === 'all') return document;
    const key = `${view.key} ${name} ${stability}`;
    const known = this.#kept.get(key);
    if (known?.base === document) return known.document;
    return this.#making.run(key, () => this.#make(key, document, name, { view, filter }), [document]);
  }

  async #make(
    key: string,
    base: TextDocument,
    name: PackageName,
    viewer: { readonly view: View; readonly filter: ReleaseFilter },
  ): Promise<TextDocument | undefined> {
    const document = await filtered(this.versionsOf(base, name), base, name, viewer);
    const bytes = key.length + 512 + (document === undefined || document === base ? 0 : document.weight);
    this.#kept.set(key, { base, document }, bytes);
    return document;
  }
}

async function filtered(
  read: MaybeAsync<ExpandedDocument>,
  base: TextDocument,
  name: PackageName,
  { view, filter }: { readonly view: View; readonly filter: ReleaseFilter },
): Promise<TextDocument | undefined> {
  const sees = (record: JsonObject): boolean => passes(filter, releaseOf(record));
  // warnings of the policy name versions: those of this view are made behind it (I14)
  const {
    records,
    beside: { warnings: _warnings, ...beside },
  } = await read;
  const seen = records.filter(sees);
  if (seen.length === 0) return undefined;
  const isWhole = seen.length === records.length && _warnings === undefined;
  return datedByContent(
    isWhole ? base : new TextDocument(await formatProviderDocument(name, { records: seen, beside }), 0),
    view,
  );
}

/** The document with a date that depends on its bytes and the view alone. */
export function datedByContent(document: TextDocument, view: View): TextDocument {
  return new TextDocument(document, contentDateMs - dateShiftMs(`${view.key} ${document.digest}`, viewShiftSeconds));
}

/**
 * The upstream's changes to the visible versions are unknown, and its own date would reveal hidden ones (I14). So the
 * date of a filtered document is derived from its bytes. Other bytes have another date, on every host, though not
 * always a later one. The date is earlier than this moment.
 */
const contentDateMs = Date.UTC(2025, 0, 1);

export function releaseOf({ version_normalized: normalized, time }: JsonObject): ReleaseFacts {
  const releasedMs = Date.parse(String(time));
  return { version_normalized: String(normalized), releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs };
}

/** The document of a package without versions; undefined: without a view. */
export async function withoutVersions(
  name: PackageName,
  beside: JsonObject,
  { view }: Pick<Viewer, 'view'>,
): Promise<TextDocument | undefined> {
  return view && datedByContent(new TextDocument(await formatProviderDocument(name, { records: [], beside }), 0), view);
}

/** What a view sees of the offered versions, blocked ones included: read once while the document is unchanged. */
export class OfferedToViews {
  readonly #known = new WeakMap<TextDocument, Map<string, readonly JsonObject[]>>();

  async seen(
    document: TextDocument,
    { view, filter }: Viewer,
    read: () => Promise<readonly JsonObject[] | undefined>,
  ): Promise<readonly JsonObject[]> {
    const views = this.#known.get(document) ?? new Map<string, readonly JsonObject[]>();
    this.#known.set(document, views);
    const key = view?.key ?? '';
    const seen = views.get(key) ?? ((await read()) ?? []).filter((record) => passes(filter, releaseOf(record)));
    views.set(key, seen);
    return seen;
  }
}
