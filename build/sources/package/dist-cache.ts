// ZIPs fetched for inline records: each is downloaded, checked and admitted once, and kept under what was asked for and what came. A cache: whatever
// is missing or damaged is fetched again, and has to be the same then.

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { admitZip } from '../../archive/zip-admission/admit-zip.ts';
import { defaultZipLimits } from '../../archive/zip-admission/zip-limits.ts';
import type { Egress } from '../../egress/egress.ts';
import { EgressFailure } from '../../egress/egress-failure.ts';
import { QuarantineError, type QuarantineCode } from '../quarantine.ts';
import { readyArchive } from '../ready-archive.ts';
import type { ReadyArchive } from '../release.ts';
import type { InlineDist } from './inline-record.ts';

/** Raise it whenever what was admitted once may be refused now. */
const recipe = 1;

export class DistCache {
  readonly #directory: string;
  readonly #egress: Egress;
  /** key → SHA-256 */
  readonly #kept: ReadonlyMap<string, string>;
  readonly #running = new Map<string, Promise<string>>();

  /** `directory` is made when it is needed. To be opened under the build's lock. */
  constructor(directory: string, egress: Egress) {
    this.#directory = directory;
    this.#egress = egress;
    this.#kept = listKept(directory);
  }

  /** SHA-256 of what is kept for this dist, undefined where it has to be fetched. */
  find(dist: InlineDist): string | undefined {
    return this.#kept.get(distKey(dist));
  }

  /** Fetches it and gives its SHA-256; the same dist asked for twice is fetched once. Throws QuarantineError. */
  fetch(dist: InlineDist): Promise<string> {
    const key = distKey(dist);
    const running = this.#running.get(key) ?? this.#fetch(dist, key);
    this.#running.set(key, running);
    return running;
  }

  /** What was fetched once and had this SHA-256. */
  archive(dist: InlineDist, sha256: string): ReadyArchive {
    const kept = readyArchive(this.#path(distKey(dist), sha256), sha256);
    return {
      ...kept,
      copyTo: async (target) => {
        try {
          return await kept.copyTo(target);
        } catch (error) {
          if (!(error instanceof QuarantineError)) throw error;
          rmSync(this.#path(distKey(dist), sha256), { force: true });
        }
        const found = await this.#fetch(dist, distKey(dist));
        if (found !== sha256) throw new QuarantineError('DIST_MISMATCH', 'Its dist has other bytes than when it was first fetched. If they are meant, give it another "version", or for a dev version another "reference" in its "dist".');
        return kept.copyTo(target);
      },
    };
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
      throw error instanceof EgressFailure ? new QuarantineError(codes[error.kind], error.message, { cause: error }) : error;
    } finally {
      rmSync(partial, { force: true });
    }
  }

  #path(key: string, sha256: string): string {
    return join(this.#directory, `${key}.${sha256}.zip`);
  }
}

const codes: Readonly<Record<EgressFailure['kind'], QuarantineCode>> = { denied: 'EGRESS_DENIED', unreachable: 'UNREACHABLE_DIST', oversized: 'ARCHIVE_UNSAFE' };

/** `sha1` of the bytes, lower-case hex. Throws QuarantineError DIST_MISMATCH. */
export function checkShasum(sha1: string, { shasum }: InlineDist): void {
  if (shasum !== undefined && shasum !== sha1) throw new QuarantineError('DIST_MISMATCH', `Its dist has the SHA-1 ${sha1}, and the record says ${shasum}. Correct the "shasum", if these are the bytes that are meant.`);
}

/** What was asked for; holds no part of the URL, which may have a token in its query. */
export function distKey({ url, reference, shasum }: InlineDist): string {
  return createHash('sha256').update(JSON.stringify([recipe, url, reference, shasum ?? null])).digest('hex').slice(0, 32);
}

/** Throws away what a killed build left half fetched: caches are opened before anything is fetched. */
function listKept(directory: string): ReadonlyMap<string, string> {
  const names = namesIn(directory);
  for (const name of names.filter((found) => found.endsWith('.partial'))) rmSync(join(directory, name), { force: true });
  return new Map(
    names.flatMap((name) => {
      const [, key, sha256] = /^([0-9a-f]{32})\.([0-9a-f]{64})\.zip$/.exec(name) ?? [];
      return key === undefined || sha256 === undefined ? [] : [[key, sha256] as const];
    }),
  );
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
