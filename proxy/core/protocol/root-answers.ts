// Answers requests for packages.json: the built document with the additions of this server, as the view of the caller
// sees it. Each form of it is made on first demand, and stays valid while its original is the published one.

import { rootDocumentPath } from '../../../build/contract/paths.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import { answerIn, type TextDocument } from '../http/document.ts';
import { readsNoPatterns } from '../tree/exact-form.ts';
import {
  apiBase,
  asBuilt,
  metadataUrlOf,
  rootDocument,
  type RootChanges,
  type RootForm,
} from '../tree/root-document.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { notReady } from './absent.ts';
import type { RequestPreferences } from './request-preferences.ts';
import type { ViewCache } from './view-cache.ts';
import { ViewedRoots } from './viewed-roots.ts';

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
