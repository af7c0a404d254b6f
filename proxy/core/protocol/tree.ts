// Answers packages.json, p2 documents and archives from the output tree, behind the port of tree-files.ts. An answer
// comes from one publication; a new publication goes live with the next request.

import type { Publication } from '../../../build/contract/publication.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import type { RootChanges } from '../tree/root-document.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { ArchiveAnswers, type ArchiveAnswersOptions } from './archive-answers.ts';
import { ProviderAnswers } from './provider-answers.ts';
import type { ReleasePolicy } from './release-policy.ts';
import type { RequestPreferences } from './request-preferences.ts';
import { RootAnswers } from './root-answers.ts';
import type { Route } from './route.ts';
import { ViewCache } from './view-cache.ts';

export interface TreeOptions extends ArchiveAnswersOptions {
  /** additions to the built packages.json, called for each request: settings change while the server runs */
  readonly rootChanges: () => MaybeAsync<RootChanges>;
  /** memory for documents derived from published ones, and as much again for those of views */
  readonly derivedBytes: number;
  /** undefined: every version may be sent */
  readonly policy?: ReleasePolicy | undefined;
}

export class Tree {
  readonly #files: TreeFiles;
  readonly #root: RootAnswers;
  readonly #providers: ProviderAnswers;
  readonly #archives: ArchiveAnswers;
  readonly #policy: ReleasePolicy | undefined;

  constructor({ policy, ...options }: TreeOptions) {
    const views = new ViewCache(options.derivedBytes);
    this.#files = options.files;
    this.#root = new RootAnswers(options, views);
    this.#providers = new ProviderAnswers(options, views);
    this.#archives = new ArchiveAnswers(options);
    this.#policy = policy;
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
        if (route.kind === 'root') return this.#root.answer(preferences, epoch, rules?.warning(preferences));
        if (route.kind === 'dist') return this.#archives.answer(route, preferences, moment, rules);
        return this.#providers.answer(route, preferences, moment, rules);
      }),
    );
  }

  /** The newest publication, for /health; undefined before the first. */
  publication(): MaybeAsync<Publication | undefined> {
    return this.#files.publication();
  }

  /** True if the served tree may be older than the published tree. */
  stale(): boolean {
    return this.#files.stale();
  }

  /** True if packages.json exists, without use of the cache. Rejects for an unreadable or malformed file. */
  async hasRoot(nowMs: number): Promise<boolean> {
    return this.#root.exists(await this.#files.epoch(nowMs));
  }

  /** The metadata-url in packages.json for these preferences; undefined before the first publication. */
  async metadataUrl(preferences: Pick<RequestPreferences, 'exactForm'>, nowMs: number): Promise<string | undefined> {
    return this.#root.metadataUrl(preferences, await this.#files.epoch(nowMs));
  }
}
