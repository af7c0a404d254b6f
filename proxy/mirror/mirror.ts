// Packages of other Composer repositories, the public registry among them, behind this one: asked for on first use,
// verified, kept, and served on while their upstream is down. Whoever calls this has looked among the private packages
// first; I9 is kept here all the same.

import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { errorAnswer, withHeaders, type Answer } from '../http/answer.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { chooseEncoding } from '../http/content-encoding.ts';
import type { TextDocument } from '../http/document.ts';
import { answerWith, httpDate, type Conditions } from '../http/representation.ts';
import { ArchiveFetcher, type CheckArchive, type FetcherLimits } from './archives/archive-fetcher.ts';
import { AcceptedArchiveStore } from './archives/accepted-archive-store.ts';
import { CachedDocuments } from './upstream/cached-documents.ts';
import type { Tell } from './upstream/mirror-event.ts';
import {
  PrivateNamesUnknown,
  UpstreamRefused,
  UpstreamUnavailable,
  UpstreamWithholds,
} from './upstream/mirror-failure.ts';
import { MirroredAdvisories, type Belongings } from './advisories/mirrored-advisories.ts';
import { createRulesCompiler, type Compiled, type MirrorRules } from './rules/mirror-rules.ts';
import { upstreamProblems, type UpstreamProblem } from './rules/upstream-problems.ts';
import { MirroredArchives } from './archives/mirrored-archives.ts';
import type { Asked, MirrorPreferences, Moment } from '../protocol/mirrored-packages.ts';
import { MirroredDocuments, type Mirrored } from './documents/mirrored-documents.ts';
import { MirroredFilters } from './advisories/mirrored-filters.ts';
import type { CheckRecord } from './versions/offered-version.ts';
import type { Belonging } from '../tree/precedence.ts';
import type { ReadPrivateNames } from '../tree/private-names.ts';
import { UpstreamClient, type ClientOptions } from './upstream/upstream-client.ts';
import type { Stability, Upstream } from './upstream/upstream.ts';

export interface MirrorOptions {
  /** `<data>/mirror` */
  readonly folder: string;
  readonly privateNames: ReadPrivateNames;
  /** The same object while nothing has changed; asked for with each request. */
  readonly rules: () => MaybeAsync<MirrorRules>;
  readonly client: Omit<ClientOptions, 'now'>;
  readonly archives?: Partial<FetcherLimits>;
  readonly checkRecord: CheckRecord;
  readonly checkArchive: CheckArchive;
  /** memory for documents and small archives together */
  readonly cacheBytes: number;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly tell: Tell;
}

export interface Standing {
  /** the same object while nothing has changed */
  readonly compiled: Compiled;
  readonly belongs: (name: PackageName) => Belonging;
}

interface Decided {
  readonly belonging: Belonging;
  readonly compiled: Compiled;
  readonly epoch: number;
}

export class Mirror {
  readonly #options: MirrorOptions;
  readonly #client: UpstreamClient;
  readonly #kept: CachedDocuments;
  readonly #compile: (rules: MirrorRules) => Compiled;
  readonly #documents: MirroredDocuments;
  readonly #archives: MirroredArchives;
  readonly #fetcher: ArchiveFetcher;
  readonly #advisories: MirroredAdvisories;
  readonly #filters: MirroredFilters;
  readonly #decided = new ByteCache<Decided>(4 * 1024 ** 2);
  /** What is kept on disk. */
  readonly shelf: AcceptedArchiveStore;

  /** Throws where the addresses that may be asked are none. */
  constructor(options: MirrorOptions) {
    this.#options = options;
    const { folder, now, tell, cacheBytes, checkRecord: check } = options;
    this.#client = new UpstreamClient({ ...options.client, now });
    this.#kept = new CachedDocuments(cacheBytes / 16);
    this.#advisories = new MirroredAdvisories(this.#client, now);
    this.#filters = new MirroredFilters(now);
    this.#compile = createRulesCompiler({ folder, client: this.#client, kept: this.#kept, now, tell });
    this.shelf = new AcceptedArchiveStore(folder, cacheBytes / 2);
    this.#fetcher = new ArchiveFetcher({
      folder,
      client: this.#client,
      shelf: this.shelf,
      check: options.checkArchive,
      limits: options.archives ?? {},
      now,
      tell,
    });
    this.#documents = new MirroredDocuments({
      shelf: this.shelf,
      check,
      privateNames: options.privateNames,
      advisories: this.#advisories,
      cacheBytes: cacheBytes / 2,
      now,
      tell,
    });
    this.#archives = new MirroredArchives({ shelf: this.shelf, fetcher: this.#fetcher, check, now, tell });
  }

  /** Whether anything is mirrored at all, so that clients have reason to ask for names that are not listed. */
  isOn(): MaybeAsync<boolean> {
    return andThen(this.#options.rules(), ({ upstreams }) => upstreams.length > 0);
  }

  /** Upstreams that are not asked, and why. */
  problems(): MaybeAsync<readonly UpstreamProblem[]> {
    return andThen(this.#options.rules(), upstreamProblems);
  }

  /** Whom a name belongs to, and why. */
  belongs(name: PackageName, moment: Moment): MaybeAsync<Belonging> {
    return andThen(this.#options.rules(), (rules) => this.#decide(name, this.#compile(rules), moment));
  }

  /** What is set now, and whom names belong to by it, looked at anew: for whoever goes through all that is kept. */
  standing(): MaybeAsync<Standing> {
    return andThen(this.#options.rules(), (rules) => {
      const compiled = this.#compile(rules);
      if (compiled.upstreams.size === 0)
        return { compiled, belongs: () => ({ to: 'nobody', because: 'nothing is mirrored' }) };
      return andThen(this.#options.privateNames(), (privateNames) => ({
        compiled,
        belongs: (name) => compiled.precedence(name, privateNames),
      }));
    });
  }

  /**
   * Whether it was found, as of this publication and no other, that there is no such package here (I17): then nobody
   * need look on disk again.
   */
  isElsewhere(name: PackageName, { epoch }: Moment): boolean {
    const known = this.#decided.get(name);
    return known?.epoch === epoch && known.belonging.to === 'upstreams';
  }

  /**
   * undefined: the name is not mirrored. Rejects with UpstreamUnavailable where nothing is kept that could be served
   * instead.
   */
  document(name: PackageName, stability: Stability, moment: Moment): MaybeAsync<Mirrored | undefined> {
    return this.#mirrored(name, moment, (ids, compiled) => this.#documents.get(name, stability, ids, compiled, moment));
  }

  /** The document, or what `seen` makes of it, as an answer; undefined: there is none here. */
  provider(
    name: PackageName,
    stability: Stability,
    preferences: MirrorPreferences,
    moment: Moment,
    seen: (document: TextDocument, learned: ReadonlySet<string>) => MaybeAsync<TextDocument | undefined> = (document) =>
      document,
  ): MaybeAsync<Answer | undefined> {
    return this.#orRefusal(() =>
      andThen(this.document(name, stability, moment), (mirrored) => {
        const { document: whole, staleSinceMs } = mirrored ?? {};
        return andThen(
          mirrored === undefined || whole === undefined ? undefined : seen(whole, mirrored.learned),
          (document) => {
            if (document === undefined) return undefined;
            const chosen = document.in(chooseEncoding(preferences.acceptEncoding), (bytes) =>
              this.#documents.grow(name, stability, document, bytes),
            );
            return andThen(chosen, (representation) => {
              const answer = answerWith(representation, preferences);
              return staleSinceMs === undefined ? answer : stale(answer, staleSinceMs);
            });
          },
        );
      }),
    );
  }

  /**
   * The archive as an answer; undefined: there is none here, or `isSeen` says no. What is refused, or cannot be had, is
   * an answer too.
   */
  archive(
    asked: Asked,
    conditions: Conditions,
    moment: Moment,
    isSeen: () => MaybeAsync<boolean> = () => true,
  ): MaybeAsync<Answer | undefined> {
    return this.#orRefusal(() =>
      this.#mirrored(asked.name, moment, (ids, compiled) =>
        andThen(isSeen(), (seen) => (seen ? this.#archives.get(asked, ids, compiled, conditions) : undefined)),
      ),
    );
  }

  /** What is known of these packages, as far as they are mirrored, and what their upstreams say of them. */
  async advisories(
    names: Iterable<PackageName>,
    moment: Moment,
  ): Promise<ReadonlyMap<PackageName, readonly JsonObject[]>> {
    return this.#advisories.of(await this.#belongings(names, moment));
  }

  /** What the documents of these packages say in filter lists, as far as they are mirrored. */
  async filters(names: Iterable<PackageName>, moment: Moment): ReturnType<MirroredFilters['of']> {
    return this.#filters.of(await this.#belongings(names, moment));
  }

  /** The filter lists that upstreams have; the same array while they are the same. */
  filterLists(): MaybeAsync<readonly string[]> {
    return andThen(this.#options.rules(), (rules) => this.#filters.names(this.#compile(rules).upstreams));
  }

  /**
   * Has an archive fetched that is not here yet, for whoever wants it ahead. undefined: there is none. Rejects with
   * UpstreamUnavailable and UpstreamRefused.
   */
  async bring(asked: Asked, moment: Moment): Promise<'here' | 'fetched' | undefined> {
    return this.#mirrored(asked.name, moment, (ids, compiled) => this.#archives.bring(asked, ids, compiled));
  }

  /** Removes what killed processes left behind half fetched. */
  clear(): Promise<number> {
    return this.#fetcher.clear();
  }

  /** Once all documents that were fetched are on disk, or could not be written. */
  written(): Promise<void> {
    return this.#kept.written();
  }

  /** Fetches that are under way break off; what was fetched is kept once it resolves. */
  async close(): Promise<void> {
    await this.#client.close();
    await this.written();
  }

  async #belongings(names: Iterable<PackageName>, moment: Moment): Promise<Belongings> {
    const compiled = this.#compile(await this.#options.rules());
    const belongings = new Map<PackageName, readonly Upstream[]>();
    for (const name of compiled.upstreams.size === 0 ? [] : names) {
      const belonging = await this.#decide(name, compiled, moment);
      if (belonging.to === 'upstreams')
        belongings.set(
          name,
          belonging.ids.flatMap((id) => compiled.upstreams.get(id) ?? ([] as Upstream[])),
        );
    }
    return belongings;
  }

  #mirrored<Value>(
    name: PackageName,
    moment: Moment,
    use: (ids: readonly string[], compiled: Compiled) => MaybeAsync<Value | undefined>,
  ): MaybeAsync<Value | undefined> {
    return andThen(this.#options.rules(), (rules) => {
      const compiled = this.#compile(rules);
      if (compiled.upstreams.size === 0) return undefined;
      return andThen(this.#decide(name, compiled, moment), (belonging) => {
        if (belonging.to === 'nobody' && belonging.unknown === true) throw new PrivateNamesUnknown();
        return belonging.to === 'upstreams' ? use(belonging.ids, compiled) : undefined;
      });
    });
  }

  /** I9, I17: made anew with each publication and each change of the settings. */
  #decide(name: PackageName, compiled: Compiled, { epoch }: Moment): MaybeAsync<Belonging> {
    const known = this.#decided.get(name);
    if (known !== undefined && known.compiled === compiled && known.epoch === epoch) return known.belonging;
    return andThen(this.#options.privateNames(), (privateNames) => {
      const belonging = compiled.precedence(name, privateNames);
      this.#decided.set(name, { belonging, compiled, epoch }, name.length + 400);
      return belonging;
    });
  }

  #orRefusal(answer: () => MaybeAsync<Answer | undefined>): MaybeAsync<Answer | undefined> {
    try {
      const eventually = answer();
      return eventually instanceof Promise ? eventually.catch((error: unknown) => this.#refusal(error)) : eventually;
    } catch (error) {
      return this.#refusal(error);
    }
  }

  #refusal(error: unknown): Answer {
    if (error instanceof PrivateNamesUnknown)
      return errorAnswer('NOT_READY', { message: error.message, headers: ['Retry-After', '5'] });
    // readers learn no address of an upstream; the events of the mirror, in the log, have the message
    if (error instanceof UpstreamRefused)
      return errorAnswer('UPSTREAM_REFUSED', error instanceof UpstreamWithholds ? { message: withheld } : {});
    if (!(error instanceof UpstreamUnavailable)) throw error;
    const seconds = Math.max(1, Math.ceil((error.retryAtMs - this.#options.now()) / 1000));
    const message =
      `The upstream repository of this package cannot be reached now. Try again in ${seconds} s; the log of this ` +
      'registry has the reason.';
    return errorAnswer('UPSTREAM_UNAVAILABLE', {
      message,
      details: { retry_after_seconds: seconds },
      headers: ['Retry-After', String(seconds)],
    });
  }
}

const withheld =
  'The upstream repository lists this version but does not deliver it. Ask the operator of this registry: the ' +
  'log has the reason.';

/** What could not be compared with the upstream says so (RFC 9111 has no header for it any more). */
function stale(answer: Answer, sinceMs: number): Answer {
  return withHeaders(answer, ['X-Libretto-Stale-Since', httpDate(sinceMs)]);
}
