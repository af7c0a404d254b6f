// The memory for documents of views, shared by p2 documents and packages.json, with one limit.

import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import type { TextDocument } from '../http/document.ts';
import type { View } from '../views/view.ts';

export interface ViewedDocument {
  /** the document without a view */
  readonly base: TextDocument;
  /** undefined: the view sees no version of it */
  readonly document: TextDocument | undefined;
  /** for packages.json: the epoch of the last check of the versions */
  epoch: number;
}

export class ViewCache {
  readonly #documents: ByteCache<ViewedDocument>;

  constructor(limitBytes: number) {
    this.#documents = new ByteCache(limitBytes);
  }

  get(view: View, path: string): ViewedDocument | undefined {
    return this.#documents.get(viewKey(view, path));
  }

  set(view: View, path: string, viewed: ViewedDocument): void {
    const { base, document } = viewed;
    const key = viewKey(view, path);
    this.#documents.set(
      key,
      viewed,
      key.length + 512 + (document === undefined || document === base ? 0 : document.weight),
    );
  }

  /** The memory of `document` has grown by this many bytes. */
  grow(view: View, path: string, document: TextDocument, bytes: number): void {
    const key = viewKey(view, path);
    const viewed = this.#documents.get(key);
    if (viewed?.document === document) this.#documents.grow(key, viewed, bytes);
  }
}

function viewKey(view: View, path: string): string {
  return `${view.key} ${path}`;
}
