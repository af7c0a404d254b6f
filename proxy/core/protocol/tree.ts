// Answers packages.json, p2 documents and archives from the output tree, behind the port of tree-files.ts. An answer
// comes from one publication; a new publication goes live with the next request.

import type { PackageReleases } from '../tree/package-releases.ts';
import { providerPath, rootDocumentPath, type PublicPath } from '../../../build/contract/paths.ts';
import type { Publication } from '../../../build/contract/publication.ts';
import { type Answer } from '../http/answer.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { MirroredPackages, Moment } from './mirrored-packages.ts';
import { filterOf, type ReleaseFilter, type View } from '../views/view.ts';
import { chooseEncoding } from '../http/content-encoding.ts';
import { DerivedDocuments } from './derived-documents.ts';
import type { TextDocument } from '../http/document.ts';
import { readsNoPatterns } from '../tree/exact-form.ts';
import { answerWith } from '../http/representation.ts';
import {
  apiBase,
  asBuilt,
  metadataUrlOf,
  rootDocument,
  type RootChanges,
  type RootForm,
} from '../tree/root-document.ts';
import { ArchiveAnswers, type ArchiveAnswersOptions } from './archive-answers.ts';
import { absentPackage, notReady } from './absent.ts';
import type { Route } from './route.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import type { ReleasePolicy, RulesInEffect } from './release-policy.ts';
import { ViewCache } from './view-cache.ts';
import { ViewedDocuments } from './viewed-documents.ts';
import { ViewedRoots } from './viewed-roots.ts';
import type { RequestPreferences } from './request-preferences.ts';

export interface TreeOptions extends ArchiveAnswersOptions {
  /** additions to the built packages.json, called for each request: settings change while the server runs */
  readonly rootChanges: () => MaybeAsync<RootChanges>;
  /** memory for documents derived from published ones, and as much again for those of views */
  readonly derivedBytes: number;
  /** undefined: every version may be sent */
  readonly policy?: ReleasePolicy | undefined;
}

/** packages.json before the limits of a view apply. */
interface SharedRoot {
  /** names this form of the document */
  readonly key: string;
  /** the document in this form */
  readonly document: TextDocument;
  /** the document as built */
  readonly built: TextDocument;
  readonly epoch: number;
}

export class Tree {
  readonly #files: TreeFiles;
  readonly #derived: DerivedDocuments;
  readonly #views: ViewCache;
  readonly #viewed: ViewedDocuments;
  readonly #viewedRoots: ViewedRoots;
  readonly #archives: ArchiveAnswers;
  readonly #rootChanges: TreeOptions['rootChanges'];
  readonly #mirrored: MirroredPackages | undefined;
  readonly #policy: ReleasePolicy | undefined;

  constructor({ files, rootChanges, derivedBytes, onDownload, mirrored, tombstones, policy }: TreeOptions) {
    this.#files = files;
    this.#rootChanges = rootChanges;
    this.#derived = new DerivedDocuments(derivedBytes);
    this.#views = new ViewCache(derivedBytes);
    this.#viewed = new ViewedDocuments(files, this.#views);
    this.#viewedRoots = new ViewedRoots(files, this.#views);
    this.#archives = new ArchiveAnswers({ files, onDownload, mirrored, tombstones });
    this.#mirrored = mirrored;
    this.#policy = policy;
  }

  /** The newest publication, for /health; undefined before the first. */
  publication(): MaybeAsync<Publication | undefined> {
    return this.#files.publication();
  }

  /** True if the served tree may be older than the published tree. */
  stale(): boolean {
    return this.#files.stale();
  }

  /**
   * True if packages.json exists, without use of the cache. Rejects, or throws, for an unreadable or malformed file.
   */
  hasRoot(nowMs: number): MaybeAsync<boolean> {
    return andThen(this.#files.epoch(nowMs), (epoch) =>
      andThen(this.#files.documentAgain(rootDocumentPath, epoch), (built) => {
        if (built === undefined) return false;
        this.#root(built, asBuilt, { base: undefined, plain: false });
        return true;
      }),
    );
  }

  answer(
    route: Extract<Route, { kind: 'root' | 'provider' | 'dist' }>,
    preferences: RequestPreferences,
    nowMs: number,
  ): MaybeAsync<Answer> {
    return andThen(this.#files.epoch(nowMs), (epoch) =>
      andThen(this.#policy?.rules(nowMs), (rules) => {
        const moment = { nowMs, epoch };
        const refusal = rules?.client(preferences, moment);
        if (refusal !== undefined) return refusal;
        if (route.kind === 'root') return this.#rootAnswer(preferences, epoch, rules?.warning(preferences));
        if (route.kind === 'dist') return this.#archives.answer(route, preferences, moment, rules);
        return this.#provider(route, preferences, moment, rules);
      }),
    );
  }

  /** `warning`: a sentence for the person who runs this client. */
  #rootAnswer(preferences: RequestPreferences, epoch: number, warning: string | undefined): MaybeAsync<Answer> {
    return andThen(this.#rootChanges(), (changes) =>
      andThen(this.#files.document(rootDocumentPath, epoch), (built) => {
        if (built === undefined) return notReady();
        const { userAgent, exactForm } = preferences;
        const client = { base: apiBase(changes, userAgent), readsNoPatterns: readsNoPatterns(userAgent) };
        const { key, document } = this.#root(built, changes, { ...client, plain: !exactForm, warning });
        if (preferences.view !== undefined)
          return this.#rootSeen(preferences.view, preferences, { key, document, built, epoch });
        return answerIn(document, preferences, (bytes) =>
          document === built
            ? this.#files.grow(rootDocumentPath, built, bytes)
            : this.#derived.grow(key, document, bytes),
        );
      }),
    );
  }

  #rootSeen(
    view: View,
    preferences: RequestPreferences,
    { key, document: base, built, epoch }: SharedRoot,
  ): MaybeAsync<Answer> {
    const path = `${rootDocumentPath} ${key}`;
    return andThen(this.#viewedRoots.get(path, { built, base }, view, epoch), (document) =>
      answerIn(document, preferences, (bytes) => this.#views.grow(view, path, document, bytes)),
    );
  }

  /** The metadata-url in packages.json for these preferences; undefined before the first publication. */
  metadataUrl({ exactForm }: Pick<RequestPreferences, 'exactForm'>, nowMs: number): MaybeAsync<string | undefined> {
    return andThen(this.#files.epoch(nowMs), (epoch) =>
      andThen(this.#rootChanges(), (changes) =>
        andThen(this.#files.document(rootDocumentPath, epoch), (built) =>
          built === undefined ? undefined : metadataUrlOf(built, changes, { plain: !exactForm }),
        ),
      ),
    );
  }

  #root(built: TextDocument, changes: RootChanges, form: RootForm): Pick<SharedRoot, 'key' | 'document'> {
    const { base, plain, warning = '' } = form;
    const address = base === undefined ? '' : `${base}/`;
    const unlisted = changes.mirrors && form.readsNoPatterns === true ? ' unlisted' : '';
    const key = `${changes.id}${address}${changes.detectsForm && plain ? ' plain' : ''}${unlisted}${warning}`;
    try {
      return { key, document: this.#derived.get(key, built, (document) => rootDocument(document, changes, form)) };
    } catch (cause) {
      throw new Error(`${rootDocumentPath} of what is published cannot be used; run \`libretto verify\``, { cause });
    }
  }

  #provider(
    { name, stability }: Extract<Route, { kind: 'provider' }>,
    preferences: RequestPreferences,
    moment: Moment,
    rules: RulesInEffect | undefined,
  ): MaybeAsync<Answer> {
    const { view } = preferences;
    const filter = filterOf(view, name);
    if (filter === 'none') return absentPackage(this.#files, name);
    const mirrored = (): MaybeAsync<Answer | undefined> =>
      this.#mirrored?.provider(name, stability, preferences, { view, filter }, moment);
    const missing = (): MaybeAsync<Answer> =>
      andThen(mirrored(), (answer) => answer ?? absentPackage(this.#files, name));
    const published = (): MaybeAsync<Answer> =>
      andThen(this.#files.visible.shows(view, name, 'documents', moment.epoch), (shows) =>
        shows ? this.#published({ name, stability }, { filter, rules, missing }, preferences, moment) : missing(),
      );
    // I17: only as of the publication that this request sees
    return this.#mirrored?.isElsewhere(name, moment) === true
      ? andThen(mirrored(), (answer) => answer ?? published())
      : published();
  }

  #published(
    { name, stability }: Omit<Extract<Route, { kind: 'provider' }>, 'kind'>,
    {
      filter,
      rules,
      missing,
    }: { filter: ReleaseFilter; rules: RulesInEffect | undefined; missing: () => MaybeAsync<Answer> },
    preferences: RequestPreferences,
    moment: Moment,
  ): MaybeAsync<Answer> {
    const [{ epoch }, { view }, path] = [moment, preferences, providerPath(name, stability)];
    const empty = (isOnDisk: boolean): MaybeAsync<Answer> =>
      andThen(this.#viewed.withoutVersions({ name, stability }, { view, filter }, epoch, isOnDisk), (document) =>
        document === undefined ? missing() : answerIn(document, preferences, () => undefined),
      );
    const answered = (built: TextDocument | undefined): MaybeAsync<Answer> => {
      const seen =
        built === undefined || view === undefined || filter === 'all'
          ? built
          : this.#viewed.provider(path, name, built, { view, filter }, epoch);
      return andThen(seen, (document) => {
        if (built === undefined || document === undefined) return empty(built !== undefined);
        const grow = this.#growing(path, built, document, view);
        if (rules === undefined) return answerIn(document, preferences, grow);
        return andThen(rules.published(document, { name, stability }, preferences, moment), (policed) =>
          answerIn(policed?.document ?? document, preferences, policed?.grow ?? grow),
        );
      });
    };
    // only a caller who sees a version of this document, by the serving index, gets the reason (I14)
    const isSeen = (releases: PackageReleases | undefined) => releases?.isSeenIn(stability, filter) === true;
    const unreadable = (reason: unknown): MaybeAsync<Answer> =>
      filter === 'all'
        ? Promise.reject(reason)
        : andThen(
            this.#files.releases(name, epoch),
            (all) => (isSeen(all) ? Promise.reject(reason) : empty(false)),
            () => empty(false),
          );
    return andThen(this.#files.document(path, epoch), answered, unreadable);
  }

  /** Accounts for the compressed forms of a document: one of the tree, or one of a view. */
  #growing(path: PublicPath, built: TextDocument, document: TextDocument, view: View | undefined) {
    return (bytes: number): void =>
      document === built || view === undefined
        ? this.#files.grow(path, document, bytes)
        : this.#views.grow(view, path, document, bytes);
  }
}

function answerIn(
  document: TextDocument,
  preferences: RequestPreferences,
  onCached: (bytes: number) => void,
): MaybeAsync<Answer> {
  return andThen(document.in(chooseEncoding(preferences.acceptEncoding), onCached), (chosen) =>
    answerWith(chosen, preferences),
  );
}
