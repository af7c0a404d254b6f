// Fetches missing archives: once for all waiting clients (case 78), streamed during the download, and stored only
// after they were verified. A failed archive is not fetched again for a while, because Composer repeats its requests.

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { messageOf } from '../../../build/shared/text/message-of.ts';
import type { Sha1 } from '../../../build/contract/digest.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { folderFault } from '../../../build/shared/files/folder-fault.ts';
import { downloadArchive, type Downloaded } from './archive-download.ts';
import { archiveKey, type ArchiveRecord } from './archive-record.ts';
import type { AcceptedArchiveStore } from './accepted-archive-store.ts';
import { isThere } from '../../../build/shared/files/atomic-file.ts';
import { TailStream } from './tail-stream.ts';
import { standardThroughputFloor, type ThroughputFloor } from '../../../build/shared/concurrency/throughput-floor.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import { UpstreamRefused, UpstreamUnavailable, UpstreamWithholds } from '../upstream/mirror-failure.ts';
import { refusalOf, writeRefusal } from './refused-archives.ts';
import type { OfferedVersion } from '../versions/offered-version.ts';
import { KeyedSemaphore } from '../../../build/shared/concurrency/keyed-semaphore.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { Destination } from '../upstream/upstream-credential.ts';

/** Checks a ZIP before it is stored. Throws an Error with the reason for a refusal. */
export type CheckArchive = (path: string) => Promise<void>;

export interface FetcherOptions {
  /** folder of the mirror */
  readonly folder: string;
  readonly client: UpstreamClient;
  readonly archiveStore: AcceptedArchiveStore;
  readonly check: CheckArchive;
  readonly limits?: Partial<FetcherLimits>;
  readonly now: () => number;
  readonly report: ReportMirrorEvent;
}

export interface FetcherLimits {
  readonly archiveBytes: number;
  readonly verifiedFirstBytes: number;
  readonly leastSpeed: ThroughputFloor;
  /** concurrent archives of one host: a slow host delays no other host */
  readonly fromOneHost: number;
  /** and from all of them */
  readonly parallel: number;
  /** archives of one host that may wait for that */
  readonly waiting: number;
}

const standardLimits: FetcherLimits = {
  archiveBytes: 256 * 1024 ** 2,
  verifiedFirstBytes: 4 * 1024 ** 2,
  leastSpeed: standardThroughputFloor,
  fromOneHost: 16,
  parallel: 128,
  waiting: 2000,
};
const refusedMs = 60_000;
/** Composer tries sixteen times in four seconds. */
const unavailableMs = 5000;
const maxFailures = 1000;
/** Since the last byte was written. */
const abandonedMs = 120_000;

export interface Fetch {
  readonly name: PackageName;
  readonly version: OfferedVersion;
  readonly reference: string;
  /** undefined: the digest of the upstream's bytes is recorded */
  readonly shasum: Sha1 | undefined;
  /** evaluated at the first need */
  readonly candidates: () => Promise<readonly URL[]>;
  readonly destination: Destination;
}

export interface ArchiveDownload {
  /** readable while it comes */
  readonly file: TailStream;
  /** undefined if the upstream does not report it */
  readonly size: number | undefined;
  /** resolves with the stored record; rejects with UpstreamUnavailable or UpstreamRefused */
  readonly kept: Promise<ArchiveRecord>;
}

/** A full queue: no host has failed. */
class NoPlace extends UpstreamUnavailable {}

export class ArchiveFetcher {
  readonly #options: FetcherOptions;
  readonly #limits: FetcherLimits;
  /** each until its archive is stored or has failed: an arrival resolves with its first bytes */
  readonly #arriving = new SingleFlight<ArchiveDownload>({ keeps: 'settled' });
  readonly #failed = new Map<string, { readonly error: Error; readonly untilMs: number }>();
  readonly #places: KeyedSemaphore;
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(options: FetcherOptions) {
    this.#options = options;
    this.#limits = { ...standardLimits, ...options.limits };
    this.#places = new KeyedSemaphore(this.#limits.fromOneHost);
    this.#limit = pLimit(this.#limits.parallel);
  }

  /**
   * Resolves when the first bytes are readable, or the archive is stored. Rejects with UpstreamUnavailable or
   * UpstreamRefused.
   */
  fetch(fetch: Fetch): Promise<ArchiveDownload> {
    const key = keyOf(fetch);
    const arriving = this.#arriving.get(key);
    if (arriving !== undefined) return arriving;
    const failed = this.#failed.get(key);
    if (failed !== undefined && failed.untilMs > this.#options.now()) return Promise.reject(failed.error);
    return this.#arriving.run(key, () => this.#begin(fetch, key));
  }

  /**
   * Removes the remains of killed processes. Files of running downloads and checks are younger: a stalled download ends
   * long before.
   */
  async clear(): Promise<number> {
    const folder = this.#stagingFolder();
    let removed = 0;
    for (const name of await readdir(folder).catch(() => [])) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (found === undefined || this.#options.now() - found.mtimeMs < abandonedMs) continue;
      await rm(join(folder, name), { force: true });
      removed += 1;
    }
    return removed;
  }

  #stagingFolder(): string {
    return join(this.#options.folder, '.staging');
  }

  #begin(fetch: Fetch, key: string): Promise<ArchiveDownload> {
    const file = new TailStream(join(this.#stagingFolder(), `${randomUUID()}.partial`));
    return new Promise((resolve, reject) => {
      let size: number | undefined;
      const arrived = (): void => resolve({ file, size, kept: accepted });
      const accepted = this.#inPlace(fetch, (candidates) =>
        this.#bring(fetch, candidates, file, (stated) => (size = stated), arrived),
      );
      const failed = (error: unknown): void => {
        if (!(error instanceof NoPlace)) this.#remember(key, error);
        reject(error);
      };
      void accepted.then(arrived, failed).finally(() => this.#arriving.forget(key));
    });
  }

  /** The slot counts for the host of the first candidate: a second candidate is rare. */
  async #inPlace<Value>({ candidates }: Fetch, work: (candidates: readonly URL[]) => Promise<Value>): Promise<Value> {
    const urls = await candidates();
    const origin = urls[0]?.origin ?? '';
    if (this.#places.waiting(origin) >= this.#limits.waiting)
      throw new NoPlace(`Too many archives of ${origin} are waiting to be fetched.`, this.#options.now() + 1000);
    return this.#places.use(origin, () => this.#limit(() => work(urls)));
  }

  async #bring(
    fetch: Fetch,
    candidates: readonly URL[],
    file: TailStream,
    onSize: (size: number | undefined) => void,
    onReadable: () => void,
  ): Promise<ArchiveRecord> {
    const { client, check, report, folder } = this.#options;
    try {
      await this.#makeStagingFolder();
      file.onFirst(onReadable);
      const downloaded = await downloadArchive({
        client,
        destination: fetch.destination,
        candidates,
        shasum: fetch.shasum,
        ...this.#limits,
        maxBytes: this.#limits.archiveBytes,
        file,
        now: this.#options.now,
        onSize,
      });
      await check(file.path).catch((cause: unknown) => Promise.reject(refusalOf(downloaded.from, cause)));
      const record = await this.#accept(fetch, file, downloaded);
      await writeRefusal(folder, keyOf(fetch));
      file.end({ bytes: downloaded.size });
      report({ kind: 'archive', name: fetch.name, version: fetch.version.version, bytes: downloaded.size });
      return record;
    } catch (error) {
      await rm(file.path, { force: true });
      file.end({ error: error instanceof Error ? error : new Error(String(error)) });
      await this.#report(fetch, error);
      throw error;
    }
  }

  /** A refusal is noted for `libretto why`. The answer stays the same if the disk takes no note. */
  async #report(fetch: Fetch, error: unknown): Promise<void> {
    const isRefused = error instanceof UpstreamRefused && !(error instanceof UpstreamWithholds);
    const kind = isRefused ? 'archive-refused' : 'archive-failed';
    const version = fetch.version.version;
    const report = (cause: unknown): void =>
      this.#options.report({ kind, name: fetch.name, version, message: messageOf(cause) });
    report(error);
    if (error instanceof UpstreamRefused)
      await writeRefusal(this.#options.folder, keyOf(fetch), `${version}: ${error.message}`).catch(report);
  }

  async #makeStagingFolder(): Promise<void> {
    const folder = this.#stagingFolder();
    if (isThere(folder)) return;
    await mkdir(folder, { recursive: true }).catch((error: unknown) => Promise.reject(folderFault(error, folder)));
  }

  async #accept(
    { name, version, reference }: Fetch,
    file: TailStream,
    { shasum, size, bytes, from }: Downloaded,
  ): Promise<ArchiveRecord> {
    const fetchedAt = new Date(this.#options.now()).toISOString();
    const { normalized, dev, record, version: label } = version;
    const accepted = await this.#options.archiveStore.accept(
      file.path,
      { name, version: label, normalized, dev, reference, shasum, size, from, fetchedAt, record },
      bytes,
    );
    if (accepted.shasum !== shasum)
      throw new UpstreamRefused(`${from} has the SHA-1 ${shasum}, but the accepted archive has ${accepted.shasum}`);
    return accepted;
  }

  #remember(key: string, error: unknown): void {
    if (!(error instanceof UpstreamRefused || error instanceof UpstreamUnavailable)) return;
    if (this.#failed.size >= maxFailures) this.#failed.clear();
    this.#failed.set(key, {
      error,
      untilMs: this.#options.now() + (error instanceof UpstreamRefused ? refusedMs : unavailableMs),
    });
  }
}

function keyOf({ name, version, reference }: Fetch): string {
  return `${name} ${archiveKey({ ...version, reference })}`;
}
