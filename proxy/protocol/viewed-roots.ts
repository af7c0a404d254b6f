// packages.json as a view sees it, with the visible names only (I14).

import { matchesNothingPattern } from '../../build/contract/documents.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { dateShiftMs, viewShiftSeconds } from '../../build/shared/caches/date-shift.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { TextDocument } from '../http/document.ts';
import { anyName, isAnyName } from '../tree/root-document.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { visibleNames } from '../tree/visible-names.ts';
import type { View } from '../views/view.ts';
import { viewKey, type ViewCache } from './view-cache.ts';

interface RootParts {
  readonly json: JsonObject;
  /** those of the built document: a client may get no list */
  readonly names: readonly PackageName[];
}

export class ViewedRoots {
  readonly #files: TreeFiles;
  readonly #cache: ViewCache;
  readonly #making = new SingleFlight<TextDocument>();
  // read once for all views
  readonly #parts = new WeakMap<TextDocument, RootParts>();
  #publication: { readonly epoch: number; readonly publication: Publication | undefined } | undefined;

  constructor(files: TreeFiles, cache: ViewCache) {
    this.#files = files;
    this.#cache = cache;
  }

  /** `built`: as published. `base`: with the additions of the server. */
  get(
    path: string,
    documents: { readonly built: TextDocument; readonly base: TextDocument },
    view: View,
    epoch: number,
  ): MaybeAsync<TextDocument> {
    const { base } = documents;
    const cached = this.#cache.get(view, path);
    if (cached?.document !== undefined && cached.base === base && cached.epoch === epoch) return cached.document;
    return this.#making.run(viewKey(view, path), () => this.#make(path, documents, view, epoch), [base, epoch]);
  }

  async #make(
    path: string,
    { built, base }: { readonly built: TextDocument; readonly base: TextDocument },
    view: View,
    epoch: number,
  ): Promise<TextDocument> {
    const { json, names } = this.#partsOf(base, built);
    const publication = await this.#publicationOf(epoch);
    const { seen, seconds } = await visibleNames(names, publication, view, this.#files, epoch);
    const before = this.#cache.get(view, path);
    // additions of the server move the date back, as without a view
    const shiftMs = built.lastModifiedMs - base.lastModifiedMs + dateShiftMs(view.key, viewShiftSeconds);
    const lastModifiedMs = seconds === undefined ? built.lastModifiedMs - shiftMs : seconds * 1000 - shiftMs;
    const asksForMore = view.patterns !== undefined && isAnyName(json['available-package-patterns']);
    const made = new TextDocument(
      seen.length === names.length && seen.length > 0 && !asksForMore ? base : rootFor(json, seen, view),
      lastModifiedMs,
      { vary: base.vary },
    );
    const document = before?.document?.equals(made) === true ? redatedFrom(before.document, made) : made;
    if (document === before?.document && before.base === base) before.epoch = epoch;
    else this.#cache.set(view, path, { base, document, epoch });
    return document;
  }

  /** Reads each publication once for all views. */
  #publicationOf(epoch: number): MaybeAsync<Publication | undefined> {
    if (this.#publication?.epoch === epoch) return this.#publication.publication;
    return andThen(this.#files.publication(), (publication) => {
      this.#publication = { epoch, publication };
      return publication;
    });
  }

  #partsOf(base: TextDocument, built: TextDocument): RootParts {
    const known = this.#parts.get(base);
    if (known !== undefined) return known;
    const [json, published] = [base, built].map(({ bytes }): unknown => JSON.parse(bytes.toString('utf8')));
    if (!isJsonObject(json) || !isJsonObject(published)) throw new Error('packages.json is not a JSON object');
    const list = published['available-packages'];
    const parts: RootParts = {
      json,
      names: Array.isArray(list)
        ? list.flatMap((name: unknown) => (typeof name === 'string' ? (parsePackageName(name) ?? []) : []))
        : [],
    };
    this.#parts.set(base, parts);
    return parts;
  }
}

/** The known document under a new date, with its compressed forms. */
function redatedFrom(known: TextDocument, { lastModifiedMs }: TextDocument): TextDocument {
  return known.lastModifiedMs === lastModifiedMs ? known : new TextDocument(known, lastModifiedMs);
}

function rootFor(json: JsonObject, names: readonly PackageName[], view: View): Buffer {
  // Composer treats an empty list like a missing list (ComposerRepository.php:1517)
  const mirrored = isAnyName(json['available-package-patterns']) ? (view.patterns ?? [anyName]) : [];
  const patterns = mirrored.length === 0 && names.length === 0 ? [matchesNothingPattern] : mirrored;
  const { 'available-package-patterns': _patterns, ...others } = json;
  const seen: JsonObject = {
    ...others,
    ...('available-packages' in json ? { 'available-packages': names } : {}),
    ...(patterns.length === 0 ? {} : { 'available-package-patterns': patterns }),
  };
  return Buffer.from(`${JSON.stringify(seen)}\n`);
}
