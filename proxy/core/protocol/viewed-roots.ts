// packages.json as a view sees it, with the visible names only (I14).

import { matchesNothingPattern } from '../../../build/contract/documents.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { dateShiftMs, viewShiftSeconds } from '../../../build/shared/caches/date-shift.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { TextDocument } from '../http/document.ts';
import { anyName, isAnyName } from '../tree/root-document.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import type { View } from '../views/view.ts';
import type { ViewCache } from './view-cache.ts';

export class ViewedRoots {
  readonly #files: Pick<TreeFiles, 'visible'>;
  readonly #cache: ViewCache;
  // read once for all views
  readonly #roots = new WeakMap<TextDocument, JsonObject>();

  constructor(files: Pick<TreeFiles, 'visible'>, cache: ViewCache) {
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
    const { built, base } = documents;
    const cached = this.#cache.get(view, path);
    if (cached?.document !== undefined && cached.base === base && cached.epoch === epoch) return cached.document;
    return this.#make(path, built, base, view, epoch);
  }

  async #make(path: string, built: TextDocument, base: TextDocument, view: View, epoch: number): Promise<TextDocument> {
    const { listed, seconds } = await this.#files.visible.of(view, epoch);
    const json = this.#rootOf(base);
    const names = json['available-packages'];
    const isAll = Array.isArray(names) && names.length === listed.size && listed.size > 0;
    // additions of the server move the date back, as without a view
    const shiftMs = built.lastModifiedMs - base.lastModifiedMs + dateShiftMs(view.key, viewShiftSeconds);
    const asksForMore = view.patterns !== undefined && isAnyName(json['available-package-patterns']);
    const made = new TextDocument(
      isAll && !asksForMore ? base : rootFor(json, [...listed], view),
      (seconds === undefined ? built.lastModifiedMs : seconds * 1000) - shiftMs,
      { vary: base.vary },
    );
    const before = this.#cache.get(view, path)?.document;
    const document = before?.equals(made) === true ? redatedFrom(before, made) : made;
    this.#cache.set(view, path, { base, document, epoch });
    return document;
  }

  #rootOf(base: TextDocument): JsonObject {
    const known = this.#roots.get(base);
    if (known !== undefined) return known;
    const json: unknown = JSON.parse(base.bytes.toString('utf8'));
    if (!isJsonObject(json)) throw new Error('packages.json is not a JSON object');
    this.#roots.set(base, json);
    return json;
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
