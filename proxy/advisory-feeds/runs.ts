// The runs of all feeds: one at a time for each feed, on a timer in the leading process. How each ended is stored for
// the other processes.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { partialSuffix } from '../../build/shared/files/atomic-file.ts';
import { isAbsence, sameStamp, stampFile, type FileStamp } from '../../build/shared/files/file-stamp.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { CurrentFeed } from './current-feeds.ts';
import type { ReportFeedEvent } from './feed-event.ts';
import type { WaitingPackages } from './feed-lookups.ts';
import { runFeed, storeLearned, type FeedRun, type RunOutcome } from './run-feed.ts';
import { nextRunAt, type ScheduleOptions } from './schedule.ts';
import { neverTried, readRunStatuses, statusFile, writeRunStatuses, type RunStatus } from './run-status-file.ts';

export interface RunsOptions extends Pick<FeedRun, 'names' | 'signal' | 'now' | 'report'>, ScheduleOptions {
  readonly folder: string;
}

interface Progress {
  readonly failures: number;
  /** the last one; undefined: the last run had none */
  readonly failure: string | undefined;
  readonly dueAtMs: number;
}

export class FeedRuns {
  readonly #options: RunsOptions;
  readonly #path: string;
  readonly #flights = new SingleFlight<void>();
  readonly #progress = new Map<string, Progress>();
  readonly #report: ReportFeedEvent;
  #statuses: Map<string, RunStatus> = new Map();
  #stamp: FileStamp | undefined;
  #storing = Promise.resolve();

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#report = options.report;
    this.#path = join(options.folder, statusFile);
    this.look();
  }

  /** Loads what another process has stored. */
  look(): void {
    const stamp = stampFile(this.#path);
    if (sameStamp(stamp, this.#stamp)) return;
    this.#stamp = stamp;
    this.#statuses = new Map(readRunStatuses(this.#path));
  }

  statusOf(id: string): RunStatus {
    return this.#statuses.get(id) ?? neverTried;
  }

  /** As the leading process has stored it. */
  waiting(): WaitingPackages {
    return new Map([...this.#statuses].map(([id, { waiting }]) => [id, waiting]));
  }

  isDue({ source, stored }: CurrentFeed): boolean {
    return (
      this.#options.now() >=
      (this.#progress.get(source.id)?.dueAtMs ??
        this.#firstDueAt(source.id, stored.isWholeFor(source.url) ? stored.fetchedAt : null))
    );
  }

  /** Resolves when the run is over, which may be one that was under way already. Never rejects. */
  run(feed: CurrentFeed): Promise<void> {
    return this.#flights.run(feed.source.id, () => this.#run(feed));
  }

  /** Stores what was learned since the last run; a run that is under way does that itself. */
  storeLearned({ source, stored }: CurrentFeed): Promise<void> {
    return this.#flights.run(source.id, () => storeLearned(stored, source.url));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#flights.values());
  }

  /** Another process may have asked a moment ago. */
  #firstDueAt(id: string, fetchedAt: string | null): number {
    if (fetchedAt === null) return 0; // there is no complete copy, it is damaged, or of another address
    const status = this.#statuses.get(id);
    const failures = (status?.failingSince ?? null) === null ? 0 : 1;
    const triedAtMs = Date.parse(status?.triedAt ?? fetchedAt);
    const attempt = { triedAtMs, failures, unfinished: false, hasCopy: true };
    return Number.isNaN(triedAtMs) ? 0 : nextRunAt(attempt, this.#options);
  }

  async #run({ source, stored }: CurrentFeed): Promise<void> {
    const { names, signal, now, report } = this.#options;
    if (signal.aborted) return;
    await this.#removeLeftovers();
    stored.look();
    this.look();
    const outcome = await runFeed({ source, stored, names, signal, now, report }).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (outcome !== undefined) await this.#note({ source, stored }, outcome);
  }

  async #note({ source: { id }, stored }: CurrentFeed, { failure, problem, unfinished }: RunOutcome): Promise<void> {
    const triedAtMs = this.#options.now();
    const triedAt = new Date(triedAtMs).toISOString();
    const before = this.#statuses.get(id);
    const progress = this.#progress.get(id);
    const failures = failure === undefined ? 0 : (progress?.failures ?? 0) + 1;
    this.#progress.set(id, {
      failures,
      failure,
      dueAtMs: nextRunAt({ triedAtMs, failures, unfinished, hasCopy: stored.fetchedAt !== null }, this.#options),
    });
    const failingSince = failure === undefined ? null : (before?.failingSince ?? triedAt);
    this.#statuses.set(id, { ...(before ?? neverTried), triedAt, failingSince, problem });
    if (failure !== undefined && failure !== progress?.failure)
      this.#report({ kind: 'feed-failed', feed: id, message: failure, ...stored.lacksCopy() });
    if (failure === undefined && (before?.failingSince ?? null) !== null)
      this.#report({ kind: 'feed-recovered', feed: id });
    await this.#store(id);
  }

  /** The alarm of the last run is over. */
  async accepted(id: string): Promise<void> {
    this.look();
    const status = this.#statuses.get(id);
    if (status === undefined) return;
    this.#statuses.set(id, { ...status, problem: status.failingSince === null ? null : status.problem });
    await this.#store(id);
  }

  /** Stores the packages that the feeds have not answered about yet. */
  async noteWaiting(waiting: WaitingPackages): Promise<void> {
    this.look();
    const ids = new Set([...this.#statuses.keys(), ...waiting.keys()]);
    const changed = [...ids].filter((id) => {
      const [before = neverTried, names = []] = [this.#statuses.get(id), waiting.get(id)];
      if (before.waiting.length === names.length && names.every((name, at) => name === before.waiting[at]))
        return false;
      this.#statuses.set(id, { ...before, waiting: names });
      return true;
    });
    if (changed[0] !== undefined) await this.#store(changed[0]);
  }

  /** One after the other, so that the newest comes last. */
  #store(id: string): Promise<void> {
    this.#storing = this.#storing.then(() => this.#write(id));
    return this.#storing;
  }

  async #write(id: string): Promise<void> {
    try {
      await writeRunStatuses(this.#path, this.#statuses);
      this.#stamp = stampFile(this.#path);
    } catch (error) {
      this.#report({ kind: 'feed-file', feed: id, message: `${this.#path} cannot be written: ${messageOf(error)}.` });
    }
  }

  /** Files that a killed process was writing. */
  async #removeLeftovers(): Promise<void> {
    const { folder, now } = this.#options;
    try {
      for (const name of await readdir(folder)) {
        if (!name.endsWith(partialSuffix)) continue;
        const path = join(folder, name);
        const { mtimeMs } = await stat(path);
        if (now() - mtimeMs > leftoverMs) await rm(path, { force: true });
      }
    } catch (error) {
      if (!isAbsence(error)) this.#report({ kind: 'feed-file', feed: '', message: `${folder}: ${messageOf(error)}.` });
    }
  }
}

/** Nobody writes a list for so long. */
const leftoverMs = 3_600_000;
