// Answers requests for p2 documents: the published one, without the versions that the view of the caller hides and the
// policy blocks; or the one of another registry.

import type { PackageName } from '../../../build/contract/name.ts';
import { providerPath } from '../../../build/contract/paths.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import { answerIn, type TextDocument } from '../http/document.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { filterOf, type ReleaseFilter } from '../views/view.ts';
import { absentPackage } from './absent.ts';
import type { MirroredPackages, Moment } from './mirrored-packages.ts';
import type { RulesInEffect } from './release-policy.ts';
import type { RequestPreferences } from './request-preferences.ts';
import type { Route } from './route.ts';
import type { ViewCache } from './view-cache.ts';
import { ViewedDocuments } from './viewed-documents.ts';

/** A request for a document. */
interface DocumentRequest {
  readonly name: PackageName;
  readonly stability: 'stable' | 'dev';
  readonly preferences: RequestPreferences;
  /** the part of the package that the view shows */
  readonly filter: ReleaseFilter;
  readonly moment: Moment;
  readonly rules: RulesInEffect | undefined;
}

export interface ProviderAnswersOptions {
  readonly files: TreeFiles;
  readonly mirrored?: MirroredPackages | undefined;
}

export class ProviderAnswers {
  readonly #files: TreeFiles;
  readonly #mirrored: MirroredPackages | undefined;
  readonly #views: ViewCache;
  readonly #viewed: ViewedDocuments;

  constructor({ files, mirrored }: ProviderAnswersOptions, views: ViewCache) {
    this.#files = files;
    this.#mirrored = mirrored;
    this.#views = views;
    this.#viewed = new ViewedDocuments(files, views);
  }

  answer(
    { name, stability }: Extract<Route, { kind: 'provider' }>,
    preferences: RequestPreferences,
    moment: Moment,
    rules: RulesInEffect | undefined,
  ): MaybeAsync<Answer> {
    const filter = filterOf(preferences.view, name);
    if (filter === 'none') return absentPackage(this.#files, name);
    const asked = { name, stability, preferences, filter, moment, rules };
    // I17: only as of the publication that this request sees
    return this.#mirrored?.isElsewhere(name, moment) === true
      ? andThen(this.#ofMirror(asked), (answer) => answer ?? this.#ofTree(asked))
      : this.#ofTree(asked);
  }

  #ofMirror({ name, stability, preferences, filter, moment }: DocumentRequest): MaybeAsync<Answer | undefined> {
    return this.#mirrored?.provider(name, stability, preferences, { view: preferences.view, filter }, moment);
  }

  #ofTree(asked: DocumentRequest): MaybeAsync<Answer> {
    const { name, preferences, moment } = asked;
    return andThen(this.#files.visible.shows(preferences.view, name, 'documents', moment.epoch), (shows) =>
      shows ? this.#published(asked) : this.#unpublished(asked),
    );
  }

  #unpublished(asked: DocumentRequest): MaybeAsync<Answer> {
    return andThen(this.#ofMirror(asked), (answer) => answer ?? absentPackage(this.#files, asked.name));
  }

  #published(asked: DocumentRequest): MaybeAsync<Answer> {
    return andThen(
      this.#files.document(providerPath(asked.name, asked.stability), asked.moment.epoch),
      (built) => (built === undefined ? this.#withoutVersions(asked, false) : this.#inView(asked, built)),
      (reason) => this.#unreadable(asked, reason),
    );
  }

  #inView(asked: DocumentRequest, built: TextDocument): MaybeAsync<Answer> {
    const { name, filter, preferences, moment } = asked;
    const { view } = preferences;
    const path = providerPath(name, asked.stability);
    const growBuilt = (bytes: number): void => this.#files.grow(path, built, bytes);
    if (view === undefined || filter === 'all') return this.#inPolicy(asked, built, growBuilt);
    return andThen(this.#viewed.provider(path, name, built, { view, filter }, moment.epoch), (document) => {
      if (document === undefined) return this.#withoutVersions(asked, true);
      return this.#inPolicy(asked, document, (bytes) => this.#views.grow(view, path, document, bytes));
    });
  }

  /** `grow`: accounts for the compressed forms of the document. */
  #inPolicy(asked: DocumentRequest, document: TextDocument, grow: (bytes: number) => void): MaybeAsync<Answer> {
    const { rules, preferences, moment } = asked;
    if (rules === undefined) return answerIn(document, preferences, grow);
    return andThen(rules.published(document, asked, preferences, moment), (policed) =>
      answerIn(policed?.document ?? document, preferences, policed?.grow ?? grow),
    );
  }

  /** A package that has only releases, or only dev versions, has the other document without versions. */
  #withoutVersions(asked: DocumentRequest, isOnDisk: boolean): MaybeAsync<Answer> {
    const { preferences, filter, moment } = asked;
    const viewer = { view: preferences.view, filter };
    return andThen(this.#viewed.withoutVersions(asked, viewer, moment.epoch, isOnDisk), (document) =>
      document === undefined ? this.#unpublished(asked) : answerIn(document, preferences, () => undefined),
    );
  }

  /** Only a caller who sees a version of this document, by the serving index, gets the reason (I14). */
  async #unreadable(asked: DocumentRequest, reason: unknown): Promise<Answer> {
    const { name, stability, filter, moment } = asked;
    if (filter === 'all') throw reason;
    const releases = await Promise.resolve(this.#files.releases(name, moment.epoch)).catch(() => undefined);
    if (releases?.isSeenIn(stability, filter) === true) throw reason;
    return this.#withoutVersions(asked, false);
  }
}
