// Answers requests for packages.json: the built document with the additions of this server, as the view of the caller
// sees it. Each form of it is made on first demand, and stays valid while its original is the published one.

import { rootDocumentPath } from '../../../build/contract/paths.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import { answerIn, TextDocument } from '../http/document.ts';
import { readsNoPatterns } from '../tree/exact-form.ts';
import {
  apiBase,
  asBuilt,
  metadataUrlOf,
  rootDocument,
  type RootChanges,
  type RootForm,
  anyName,
  isAnyName,
} from '../tree/root-document.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { notReady } from './absent.ts';
import type { RequestPreferences } from './request-preferences.ts';
import type { ViewCache } from './view-cache.ts';
import { matchesNothingPattern } from '../../../build/contract/documents.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { dateShiftMs, viewShiftSeconds } from '../../../build/shared/caches/date-shift.ts';
import type { View } from '../views/view.ts';

/** packages.json as a view sees it, with the visible names only (I14). */
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

/** packages.json in one form, before the limits of a view apply. */
interface DerivedRoot {
  readonly key: string;
  readonly built: TextDocument;
  readonly document: TextDocument;
}

export interface RootAnswersOptions {
  readonly files: TreeFiles;
  readonly rootChanges: () => MaybeAsync<RootChanges>;
  /** memory for the forms */
  readonly derivedBytes: number;
}

export class RootAnswers {
  readonly #files: TreeFiles;
  readonly #changes: RootAnswersOptions['rootChanges'];
  readonly #derived: ByteCache<DerivedRoot>;
  readonly #views: ViewCache;
  readonly #viewed: ViewedRoots;

  constructor({ files, rootChanges, derivedBytes }: RootAnswersOptions, views: ViewCache) {
    this.#files = files;
    this.#changes = rootChanges;
    this.#derived = new ByteCache(derivedBytes);
    this.#views = views;
    this.#viewed = new ViewedRoots(files, views);
  }

  /** `warning`: a sentence for the person who runs this client. */
  answer(preferences: RequestPreferences, epoch: number, warning: string | undefined): MaybeAsync<Answer> {
    const { userAgent, exactForm } = preferences;
    return andThen(this.#changes(), (changes) =>
      andThen(this.#files.document(rootDocumentPath, epoch), (built) => {
        if (built === undefined) return notReady();
        const client = { base: apiBase(changes, userAgent), readsNoPatterns: readsNoPatterns(userAgent) };
        return this.#inView(this.#form(built, changes, { ...client, plain: !exactForm, warning }), preferences, epoch);
      }),
    );
  }

  #inView(root: DerivedRoot, preferences: RequestPreferences, epoch: number): MaybeAsync<Answer> {
    const { view } = preferences;
    if (view === undefined) return answerIn(root.document, preferences, (bytes) => this.#grow(root, bytes));
    const path = `${rootDocumentPath} ${root.key}`;
    return andThen(this.#viewed.get(path, { built: root.built, base: root.document }, view, epoch), (document) =>
      answerIn(document, preferences, (bytes) => this.#views.grow(view, path, document, bytes)),
    );
  }

  /** The memory of this form has grown. */
  #grow(root: DerivedRoot, bytes: number): void {
    if (root.document === root.built) this.#files.grow(rootDocumentPath, root.built, bytes);
    else if (this.#derived.get(root.key) === root) this.#derived.grow(root.key, root, bytes);
  }

  #form(built: TextDocument, changes: RootChanges, form: RootForm): DerivedRoot {
    const { base, plain, warning = '' } = form;
    const address = base === undefined ? '' : `${base}/`;
    const unlisted = changes.mirrors && form.readsNoPatterns === true ? ' unlisted' : '';
    const key = `${changes.id}${address}${changes.detectsForm && plain ? ' plain' : ''}${unlisted}${warning}`;
    const known = this.#derived.get(key);
    if (known?.built === built) return known;
    try {
      const document = rootDocument(built, changes, form);
      const made = { key, built, document };
      this.#derived.set(key, made, key.length + 512 + (document === built ? 0 : document.weight));
      return made;
    } catch (cause) {
      throw new Error(`${rootDocumentPath} of what is published cannot be used; run \`libretto verify\``, { cause });
    }
  }

  /** Reads the file anew. Rejects for an unreadable or malformed file. */
  async exists(epoch: number): Promise<boolean> {
    const built = await this.#files.documentAgain(rootDocumentPath, epoch);
    if (built !== undefined) this.#form(built, asBuilt, { base: undefined, plain: false });
    return built !== undefined;
  }

  /** undefined: there is no packages.json. */
  async metadataUrl({ exactForm }: Pick<RequestPreferences, 'exactForm'>, epoch: number): Promise<string | undefined> {
    const changes = await this.#changes();
    const built = await this.#files.document(rootDocumentPath, epoch);
    return built && metadataUrlOf(built, changes, { plain: !exactForm });
  }
}
