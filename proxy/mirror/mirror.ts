// Packages of other Composer repositories, such as the public registry. The mirror fetches them on first use, verifies
// them, stores them, and serves them while their upstream is down. Callers look among private packages first; the
// mirror keeps I9 by itself as well.

import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { withHeaders, type Answer } from '../core/http/answer.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { answerIn, type TextDocument } from '../core/http/document.ts';
import { httpDate } from '../core/http/representation.ts';
import { ArchiveFetcher, type CheckArchive, type FetcherLimits } from './archives/archive-fetcher.ts';
import { AcceptedArchiveStore } from './archives/accepted-archive-store.ts';
import { NameDecisions, type MirrorSettingsSnapshot } from './name-decisions.ts';
import { refusalOf, UpstreamUnavailable } from './upstream/mirror-failure.ts';
import { offeredRecords } from './archives/offered-records.ts';
import { CachedDocuments } from './upstream/cached-documents.ts';
import type { ReportMirrorEvent } from './upstream/mirror-event.ts';
import { MirroredAdvisories } from './advisories/mirrored-advisories.ts';
import { createRulesCompiler, type Compiled, type MirrorRules } from './rules/mirror-rules.ts';
import { upstreamProblems, type UpstreamProblem } from './rules/upstream-problems.ts';
import { Arrivals } from './archives/arrivals.ts';
import { LastLists } from './archives/last-lists.ts';
import { MirroredJudgements, type Admission } from './archives/mirrored-judgements.ts';
import { MirroredArchives } from './archives/mirrored-archives.ts';
import type { RequestedVersion, MirrorPreferences, Moment } from '../core/protocol/mirrored-packages.ts';
import { MirroredDocuments, type Mirrored } from './documents/mirrored-documents.ts';
import { MirroredFilters } from './advisories/mirrored-filters.ts';
import type { CheckRecord } from './versions/offered-version.ts';
import type { Belonging } from '../core/tree/precedence.ts';
import type { ReadPrivateNames } from '../core/tree/private-names.ts';
import { UpstreamClient, type ClientOptions } from './upstream/upstream-client.ts';
import type { Stability } from './upstream/upstream.ts';

export interface MirrorOptions {
  /** `<data>/mirror` */
  readonly folder: string;
  readonly privateNames: ReadPrivateNames;
  /** Called for each request. Returns the same object while the rules are unchanged. */
  readonly rules: () => MaybeAsync<MirrorRules>;
  readonly client: Omit<ClientOptions, 'now'>;
  readonly archives?: Partial<FetcherLimits>;
  readonly checkRecord: CheckRecord;
  readonly checkArchive: CheckArchive;
  /** memory for documents and small archives together */
  readonly cacheBytes: number;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly report: ReportMirrorEvent;
}

/** What the caller of a document sees. */
export interface ProviderSight {
  readonly seen?: (document: TextDocument, mirrored: Mirrored) => MaybeAsync<TextDocument | undefined>;
  /** Asked while the upstream is away: true if the caller sees nothing of the package, and so nothing of this (I14). */
  readonly isHidden?: () => MaybeAsync<boolean>;
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
  readonly #names: NameDecisions;
  /** the archives on disk */
  readonly archiveStore: AcceptedArchiveStore;
  /** of releases, for rules that compare them */
  readonly arrivals: Arrivals;

  /** Throws for an invalid `allowAddresses`. */
  constructor(options: MirrorOptions) {
    this.#options = options;
    const { folder, now, report, cacheBytes, checkRecord: check, privateNames } = options;
    this.#client = new UpstreamClient({ ...options.client, now });
    this.#kept = new CachedDocuments(cacheBytes / 16);
    this.#advisories = new MirroredAdvisories(this.#client, now);
    this.#filters = new MirroredFilters(now);
    this.#compile = createRulesCompiler({ folder, client: this.#client, kept: this.#kept, now, report });
    this.#names = new NameDecisions({ rules: options.rules, compile: this.#compile, privateNames });
    this.archiveStore = new AcceptedArchiveStore(folder, cacheBytes / 2);
    const shared = { archiveStore: this.archiveStore, now, report };
    const lastLists = new LastLists(folder, report);
    const arrivals = (this.arrivals = new Arrivals(folder, report));
    this.#fetcher = new ArchiveFetcher({
      ...shared,
      folder,
      client: this.#client,
      check: options.checkArchive,
      limits: options.archives ?? {},
    });
    this.#documents = new MirroredDocuments({
      ...shared,
      check,
      privateNames,
      advisories: this.#advisories,
      lastLists,
      arrivals,
      cacheBytes: cacheBytes / 2,
    });
    this.#archives = new MirroredArchives({
      archiveStore: this.archiveStore,
      fetcher: this.#fetcher,
      judgements: new MirroredJudgements({ archiveStore: this.archiveStore, lastLists, arrivals, now }),
      check,
      report,
    });
  }

  get checkRecord(): CheckRecord {
    return this.#options.checkRecord;
  }

  /** True if mirroring is on: clients then request names that packages.json does not list. */
  isOn(): MaybeAsync<boolean> {
    return andThen(this.#options.rules(), ({ upstreams }) => upstreams.length > 0);
  }

  /** Upstreams that the mirror does not use, with the reason. */
  async problems(): Promise<readonly UpstreamProblem[]> {
    return upstreamProblems(await this.#options.rules());
  }

  /** The owner of a name, and the reason. */
  belongs(name: PackageName, moment: Moment): Promise<Belonging> {
    return this.#names.of(name, moment);
  }

  settings(): Promise<MirrorSettingsSnapshot> {
    return this.#names.settings();
  }

  isElsewhere(name: PackageName, moment: Moment): boolean {
    return this.#names.isElsewhere(name, moment);
  }

  /** undefined: the name is not mirrored. Rejects with UpstreamUnavailable if no copy is stored. */
  document(name: PackageName, stability: Stability, moment: Moment): Promise<Mirrored | undefined> {
    return this.#names.ifMirrored(name, moment, (ids, compiled) =>
      this.#documents.get(name, stability, ids, compiled, moment),
    );
  }

  /** The versions that the upstream offers, with those that the policy refuses. Rejects as `document` does. */
  offered(name: PackageName, stability: Stability, moment: Moment): Promise<readonly JsonObject[] | undefined> {
    return this.#names.ifMirrored(name, moment, (ids, compiled) => offeredRecords(name, stability, ids, compiled));
  }

  /** The document as an answer; undefined: not found, or hidden. */
  provider(
    name: PackageName,
    stability: Stability,
    preferences: MirrorPreferences,
    moment: Moment,
    { seen = (document) => document, isHidden }: ProviderSight = {},
  ): Promise<Answer | undefined> {
    const answer = async (): Promise<Answer | undefined> => {
      const mirrored = await this.document(name, stability, moment);
      const document = mirrored?.document && (await seen(mirrored.document, mirrored));
      if (mirrored === undefined || document === undefined) return undefined;
      const grow = (bytes: number): void => this.#documents.grow(name, stability, document, bytes);
      const answer = await answerIn(document, preferences, grow);
      return mirrored.staleSinceMs === undefined ? answer : stale(answer, mirrored.staleSinceMs);
    };
    return this.#orRefusal(preferences, answer, isHidden);
  }

  /**
   * The archive as an answer; undefined: not found, or hidden by `isSeen`. A failure of the upstream is an answer too.
   * `refuse`: the refusal of the policy.
   */
  archive(
    asked: RequestedVersion,
    preferences: MirrorPreferences,
    moment: Moment,
    { isSeen = () => true, refuse = () => undefined, isHidden }: Admission = {},
  ): Promise<Answer | undefined> {
    const answer = (): Promise<Answer | undefined> =>
      this.#names.ifMirrored(asked.name, moment, async (ids, compiled) =>
        (await isSeen()) ? this.#archives.get({ asked, ids, compiled }, preferences, refuse) : undefined,
      );
    return this.#orRefusal(preferences, answer, isHidden);
  }

  /** The advisories of the mirrored packages among `names`. */
  async advisories(
    names: Iterable<PackageName>,
    moment: Moment,
  ): Promise<ReadonlyMap<PackageName, readonly JsonObject[]>> {
    return this.#advisories.of(await this.#names.upstreamsOf(names, moment));
  }

  /** The entries in filter lists of the mirrored packages among `names`. */
  async filters(names: Iterable<PackageName>, moment: Moment): ReturnType<MirroredFilters['of']> {
    return this.#filters.of(await this.#names.upstreamsOf(names, moment));
  }

  /** The filter lists of all upstreams. Returns the same array while the lists stay the same. */
  filterLists(): MaybeAsync<readonly string[]> {
    return andThen(this.#options.rules(), (rules) => this.#filters.names(this.#compile(rules).upstreams));
  }

  /**
   * Fetches an archive in advance, unless it is stored. undefined: not found. Rejects with UpstreamUnavailable and
   * UpstreamRefused.
   */
  async bring(asked: RequestedVersion, moment: Moment): Promise<'here' | 'fetched' | undefined> {
    return this.#names.ifMirrored(asked.name, moment, (ids, compiled) =>
      this.#archives.bring({ asked, ids, compiled }),
    );
  }

  /** Removes the partial downloads of killed processes. */
  clear(): Promise<number> {
    return this.#fetcher.clear();
  }

  /** Resolves once every fetched document is on disk, or its write has failed. */
  written(): Promise<void> {
    return this.#kept.written();
  }

  /** Aborts active fetches. Fetched documents are on disk once it resolves. */
  async close(): Promise<void> {
    await this.#client.close();
    await this.written();
  }

  async #orRefusal(
    preferences: MirrorPreferences,
    answer: () => Promise<Answer | undefined>,
    isHidden: () => MaybeAsync<boolean> = () => false,
  ): Promise<Answer | undefined> {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof UpstreamUnavailable && (await isHidden())) return undefined;
      return refusalOf(error, this.#options.now(), preferences);
    }
  }
}

/** Marks an answer that the upstream could not confirm (RFC 9111 has removed its header for this). */
function stale(answer: Answer, sinceMs: number): Answer {
  return withHeaders(answer, ['X-Libretto-Stale-Since', httpDate(sinceMs)]);
}
