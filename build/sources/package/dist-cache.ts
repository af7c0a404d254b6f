// Caches the fetched ZIPs of inline records. Each is downloaded, checked and admitted once, and stored under its
// request and its digest. A missing or damaged file is fetched again, and must then have the same bytes.

import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { admitZip } from '../../archive/zip-admission/admit-zip.ts';
import { defaultZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import type { Egress } from '../../egress/egress.ts';
import { EgressFailure } from '../../egress/egress-failure.ts';
import { FetchNeeded } from '../../contract/refusals.ts';
import { QuarantineError, type QuarantineCode } from '../../contract/quarantine.ts';
import { readyArchive } from '../../archive/zip-admission/ready-archive.ts';
import { SingleFlight } from '../../shared/concurrency/single-flight.ts';
import type { ReadyArchive } from '../../archive/content.ts';
import type { InlineDist } from './inline-record.ts';

/** Raise it whenever a formerly admitted ZIP may be refused. */
const recipe = 1;

/** A running download writes constantly, or fails within minutes: an older partial file comes from a killed process. */
const abandonedMs = 3_600_000;

export class DistCache {
  readonly #directory: string;
  readonly #egress: Egress;
  readonly #now: () => Date;
  /** key → SHA-256 */
  #kept: ReadonlyMap<string, string>;
  /** key → SHA-256 of the dists fetched for this build */
  readonly #fetched = new SingleFlight<string>({ keeps: 'settled' });
  /** keys of cached files that could not be read */
  readonly #lost = new Set<string>();

  /** `directory` is made when it is needed. Several processes may use it at once. */
  constructor(directory: string, egress: Egress, now: () => Date) {
    this.#directory = directory;
    this.#egress = egress;
    this.#now = now;
    this.#kept = this.#list();
  }

  /** Reads the directory again, to find the downloads of other processes. */
  refresh(): void {
    this.#kept = this.#list();
  }

  /**
   * SHA-256 of the cached ZIP of this dist, or of the ZIP fetched for this build; undefined if it has to be fetched.
   * Rejects with QuarantineError.
   */
  find(dist: InlineDist): Promise<string> | undefined {
    const key = distKey(dist);
    const fetched = this.#fetched.get(key);
    if (fetched !== undefined) return fetched;
    const cached = this.#kept.get(key);
    return cached === undefined ? undefined : Promise.resolve(cached);
  }

  /** A release needed the dist, and did not find it in its remembered state. */
  isLost(dist: InlineDist): boolean {
    const key = distKey(dist);
    return this.#lost.has(key) && this.#fetched.get(key) === undefined;
  }

  /** Fetches the dist, once for all callers. `find` rejects with its error. */
  async fetch(dist: InlineDist): Promise<void> {
    const key = distKey(dist);
    const running = this.#fetched.run(key, () => this.#fetch(dist, key));
    await running.catch((error: unknown) => (error instanceof QuarantineError ? undefined : Promise.reject(error)));
  }

  /**
   * The cached ZIP of this dist with this SHA-256. `copyTo` throws FetchNeeded if the file is missing or damaged,
   * because the build holds its lock then.
   */
  archive(dist: InlineDist, sha256: string): ReadyArchive {
    const key = distKey(dist);
    const path = this.#path(key, sha256);
    const cachedArchive = readyArchive(path, sha256);
    const copyTo = async (target: string): ReturnType<ReadyArchive['copyTo']> => {
      try {
        return await cachedArchive.copyTo(target);
      } catch (error) {
        if (!(error instanceof QuarantineError)) throw error;
        if (!this.#lost.has(key)) {
          this.#lost.add(key);
          this.#fetched.forget(key);
          rmSync(path, { force: true });
          throw new FetchNeeded();
        }
        if ((await this.#fetched.get(key)) === sha256) throw error;
        throw new QuarantineError(
          'DIST_MISMATCH',
          'Its dist has other bytes than when it was first fetched. If they are meant, give it another ' +
            '"version", or for a dev version another "reference" in its "dist".',
        );
      }
    };
    return { ...cachedArchive, copyTo };
  }

  async #fetch(dist: InlineDist, key: string): Promise<string> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const partial = join(this.#directory, `${key}.${randomUUID()}.partial`);
    try {
      const { sha1 } = await this.#egress.download(dist.url, partial, defaultZipLimits.archiveBytes);
      checkShasum(sha1, dist);
      const { sha256 } = await admitZip(partial);
      renameSync(partial, this.#path(key, sha256));
      return sha256;
    } catch (error) {
      throw error instanceof EgressFailure
        ? new QuarantineError(codes[error.kind], error.message, { cause: error })
        : error;
    } finally {
      rmSync(partial, { force: true });
    }
  }

  #path(key: string, sha256: string): string {
    return join(this.#directory, `${key}.${sha256}.zip`);
  }

  #list(): ReadonlyMap<string, string> {
    const names = existsSync(this.#directory) ? readdirSync(this.#directory) : [];
    for (const name of names.filter((found) => found.endsWith('.partial')))
      this.#removeAbandoned(join(this.#directory, name));
    return new Map(
      names.flatMap((name) => {
        const [, key, sha256] = /^([0-9a-f]{32})\.([0-9a-f]{64})\.zip$/.exec(name) ?? [];
        return key === undefined || sha256 === undefined ? [] : [[key, sha256] as const];
      }),
    );
  }

  #removeAbandoned(partial: string): void {
    const facts = statSync(partial, { throwIfNoEntry: false });
    if (facts !== undefined && this.#now().getTime() - facts.mtimeMs > abandonedMs) rmSync(partial, { force: true });
  }
}

const codes: Readonly<Record<EgressFailure['kind'], QuarantineCode>> = {
  denied: 'EGRESS_DENIED',
  unreachable: 'UNREACHABLE_DIST',
  oversized: 'ARCHIVE_UNSAFE',
};

/** `sha1` of the bytes, lower-case hex. Throws QuarantineError DIST_MISMATCH. */
export function checkShasum(sha1: string, { shasum }: InlineDist): void {
  if (shasum !== undefined && shasum !== sha1)
    throw new QuarantineError(
      'DIST_MISMATCH',
      `Its dist has the SHA-1 ${sha1}, but the record has ${shasum}. If these bytes are right, correct the "shasum".`,
    );
}

/** The digest of a request; it reveals no part of the URL, which may have a token in its query. */
export function distKey({ url, reference, shasum }: InlineDist): string {
  return createHash('sha256')
    .update(JSON.stringify([recipe, url, reference, shasum ?? null]))
    .digest('hex')
    .slice(0, 32);
}
