// The published documents as a view sees them. Each is made when it is first asked for and kept by view, not by token; where nothing is hidden it is the
// published document itself. What a view does not see leaves no byte in them (I14).

import { matchesNothingPattern } from '../../build/contract/documents.ts';
import { anyName, isAnyName } from './root-document.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import type { PublicPath } from '../../build/contract/paths.ts';
import { whenReady, type Eventually } from '../eventually.ts';
import { passes, type Release, type ReleaseFilter, type View } from '../views/view.ts';
import { ByteCache } from './byte-cache.ts';
import { dateShiftMs, viewShiftSeconds } from './date-shift.ts';
import { TextDocument } from './document.ts';
import type { PackageArchives } from './package-archives.ts';
import { readProviderParts, type ProviderParts, type ProviderVersion } from './provider-parts.ts';
import { seenNames } from './seen-names.ts';
import type { TreeFiles } from './tree-files.ts';

interface Seen {
  readonly base: TextDocument;
  /** undefined: nothing of it is seen */
  readonly document: TextDocument | undefined;
  /** of packages.json: the epoch in which versions were last looked at */
  epoch: number;
}

interface RootParts {
  readonly json: JsonObject;
  readonly names: readonly PackageName[];
}

export class ViewedDocuments {
  readonly #files: TreeFiles;
  readonly #kept: ByteCache<Seen>;
  readonly #making = new Map<string, { readonly base: TextDocument; readonly epoch: number; readonly document: Promise<TextDocument> }>();
  // read once for all views; they go with the document they are of
  readonly #providers = new WeakMap<TextDocument, ProviderParts>();
  readonly #roots = new WeakMap<TextDocument, RootParts>();

  constructor(files: TreeFiles, limitBytes: number) {
    this.#files = files;
    this.#kept = new ByteCache(limitBytes);
  }

  /** The p2 document `base` of `name`, or undefined where the view sees none of its versions. `filter`: of the view, for this name. */
  provider(path: PublicPath, name: PackageName, base: TextDocument, { view, filter }: { readonly view: View; readonly filter: ReleaseFilter }, epoch: number): Eventually<TextDocument | undefined> {
    const key = keyOf(view, path);
    const kept = this.#kept.get(key);
    if (kept?.base === base) return kept.document;
    const make = (releaseOfVersion: (version: ProviderVersion) => Release): TextDocument | undefined => {
      const document = this.#filtered(path, name, base, view, (version) => passes(filter, releaseOfVersion(version)));
      this.#keep(key, base, document, epoch);
      return document;
    };
    if (!view.dated) return make(undated);
    return whenReady(this.#archivesOf(path, name, base, epoch), (archives) => make((version) => archives?.release(version.version, version.reference ?? '') ?? undated(version)));
  }

  /** packages.json, made of `base`. */
  root(key: string, base: TextDocument, view: View, epoch: number): Eventually<TextDocument> {
    const own = keyOf(view, key);
    const kept = this.#kept.get(own);
    if (kept?.document !== undefined && kept.base === base && kept.epoch === epoch) return kept.document;
    const making = this.#making.get(own);
    if (making !== undefined && making.base === base && making.epoch === epoch) return making.document;
    const document = this.#rootOf(own, base, view, epoch).finally(() => {
      if (this.#making.get(own)?.document === document) this.#making.delete(own);
    });
    this.#making.set(own, { base, epoch, document });
    return document;
  }

  /** The memory that a document made here takes has grown by so many bytes. */
  grow(view: View, path: string, document: TextDocument, bytes: number): void {
    const key = keyOf(view, path);
    const kept = this.#kept.get(key);
    if (kept?.document === document) this.#kept.grow(key, kept, bytes);
  }

  #keep(key: string, base: TextDocument, document: TextDocument | undefined, epoch: number): void {
    this.#kept.set(key, { base, document, epoch }, key.length + 512 + (document === undefined || document === base ? 0 : document.weight));
  }

  #filtered(path: PublicPath, name: PackageName, base: TextDocument, view: View, isSeen: (version: ProviderVersion) => boolean): TextDocument | undefined {
    const parts = this.#partsOf(path, name, base);
    const hidden = new Set(parts.versions.filter((version) => !isSeen(version)));
    if (hidden.size === 0 && parts.versions.length > 0) return base;
    const bytes = parts.without(hidden, base.bytes);
    return bytes === undefined ? undefined : new TextDocument(bytes, base.lastModifiedMs - dateShiftMs(view.key, viewShiftSeconds));
  }

  #partsOf(path: PublicPath, name: PackageName, base: TextDocument): ProviderParts {
    const known = this.#providers.get(base);
    if (known !== undefined) return known;
    try {
      const parts = readProviderParts(base.bytes, name);
      this.#providers.set(base, parts);
      this.#files.grow(path, base, parts.versions.length * 160);
      return parts;
    } catch (cause) {
      throw new Error(`${path} of what is published cannot be used; run \`libretto verify\``, { cause });
    }
  }

  /** An index is published before the documents that name its versions: one that lacks any is looked at once more where it comes from. */
  #archivesOf(path: PublicPath, name: PackageName, base: TextDocument, epoch: number): Eventually<PackageArchives | undefined> {
    const { versions } = this.#partsOf(path, name, base);
    return whenReady(this.#files.archives(name, epoch), (archives) => {
      const knowsAll = archives !== undefined && versions.every(({ version, reference = '' }) => archives.release(version, reference) !== undefined);
      return knowsAll ? archives : this.#files.archivesAgain(name, epoch);
    });
  }

  async #rootOf(key: string, base: TextDocument, view: View, epoch: number): Promise<TextDocument> {
    const { json, names } = this.#rootPartsOf(base);
    const seen = await seenNames(names, view, this.#files, epoch);
    const before = this.#kept.get(key);
    const asksForMore = view.patterns !== undefined && isAnyName(json['available-package-patterns']);
    const made = seen.length === names.length && seen.length > 0 && !asksForMore ? base : rootFor(json, seen, base, view);
    // compressed forms of the same bytes need not be made again
    const document = before?.base === base && before.document?.bytes.equals(made.bytes) === true ? before.document : made;
    if (document === before?.document && before !== undefined) before.epoch = epoch;
    else this.#keep(key, base, document, epoch);
    return document;
  }

  #rootPartsOf(base: TextDocument): RootParts {
    const known = this.#roots.get(base);
    if (known !== undefined) return known;
    const json: unknown = JSON.parse(base.bytes.toString('utf8'));
    if (!isJsonObject(json)) throw new Error('packages.json is not a JSON object');
    const list = json['available-packages'];
    const parts: RootParts = { json, names: Array.isArray(list) ? list.flatMap((name: unknown) => (typeof name === 'string' ? (parsePackageName(name) ?? []) : [])) : [] };
    this.#roots.set(base, parts);
    return parts;
  }
}

/** What it lists can change though packages.json does not, with versions that come and go: so its date stands for its bytes. */
function rootFor(json: JsonObject, names: readonly PackageName[], base: TextDocument, view: View): TextDocument {
  // Composer takes an empty list for no list at all (ComposerRepository.php:1517)
  const mirrored = isAnyName(json['available-package-patterns']) ? (view.patterns ?? [anyName]) : [];
  const patterns = mirrored.length === 0 && names.length === 0 ? [matchesNothingPattern] : mirrored;
  const list: [string, JsonValue][] = [['available-packages', names], ...(patterns.length === 0 ? [] : [['available-package-patterns', patterns] as [string, JsonValue]])];
  const members = Object.entries(json).flatMap(([key, value]) => (key === 'available-packages' ? list : key === 'available-package-patterns' ? [] : [[key, value] as const]));
  const bytes = Buffer.from(`${JSON.stringify(Object.fromEntries('available-packages' in json ? members : [...members, ...list]))}\n`);
  return new TextDocument(bytes, base.lastModifiedMs - dateShiftMs(Buffer.concat([Buffer.from(view.key), bytes]), viewShiftSeconds));
}

/** Two views are told apart before anything else. */
function keyOf(view: View, path: string): string {
  return `${view.key} ${path}`;
}

function undated({ version_normalized }: ProviderVersion): Release {
  return { version_normalized, releasedMs: undefined };
}
