// Another Composer repository, as it is read to be taken over: the names of its packages, their versions, and the
// bytes of their archives. Requests are few at once, and wait where the repository asks for it.

import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { foreignZipLimits } from '../../build/archive/zip-admission/zip-limits.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { createAddressPolicy, type AddressPolicy } from '../../build/egress/address-policy.ts';
import { checkedUrl } from '../../build/egress/checked-url.ts';
import { EgressFailure } from '../../build/egress/egress-failure.ts';
import { standardThroughputFloor } from '../../build/shared/concurrency/throughput-floor.ts';
import { downloadArchive, type Downloaded } from '../../proxy/mirror/archives/archive-download.ts';
import { distCandidates } from '../../proxy/mirror/archives/fetchable-archives.ts';
import { TailStream } from '../../proxy/mirror/archives/tail-stream.ts';
import { CachedDocuments } from '../../proxy/mirror/upstream/cached-documents.ts';
import { isOf } from '../../proxy/mirror/upstream/joined-documents.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../proxy/mirror/upstream/mirror-failure.ts';
import { UpstreamClient } from '../../proxy/mirror/upstream/upstream-client.ts';
import type { UpstreamCredential } from '../../proxy/mirror/upstream/upstream-credential.ts';
import { Upstream } from '../../proxy/mirror/upstream/upstream.ts';
import {
  offeredVersionsYielding,
  type Offered,
  type OfferedDist,
  type OfferedVersion,
} from '../../proxy/mirror/versions/offered-version.ts';
import { version as ownVersion } from '../io/version.ts';
import { checkUpstreamRecord } from '../mirror/compose-mirror.ts';

export interface RemoteRegistryOptions {
  /** the address without packages.json */
  readonly url: string;
  /** the credential for a host: of the registry, or of archives elsewhere */
  readonly credentialOf: (url: URL) => UpstreamCredential | undefined;
  /** for its documents; removed at the end */
  readonly folder: string;
  /** CIDR ranges of private addresses that are allowed */
  readonly allowAddresses: readonly string[];
  /** epoch milliseconds */
  readonly now: () => number;
  /** a host asked to wait until then */
  readonly onWait: (untilMs: number) => void;
}

export type VersionWithDist = OfferedVersion & { readonly dist: OfferedDist };

/** Requests of one kind at the same time. */
export const atOnce = 8;
/** How often a document or an archive is asked for. */
const attempts = 5;
/** So many failures in a row, each after all attempts, are a host that is down. */
const mostFailures = 10;
const leastPauseMs = 1000;
const dayMs = 86_400_000;
const cacheBytes = 8 * 1024 ** 2;

export class RemoteRegistry {
  readonly #options: RemoteRegistryOptions;
  readonly #client: UpstreamClient;
  readonly #kept = new CachedDocuments(cacheBytes);
  readonly #upstream: Upstream;
  readonly #policy: AddressPolicy;
  #failures = 0;

  constructor(options: RemoteRegistryOptions) {
    const { url, credentialOf, folder, allowAddresses, now } = options;
    const limits = { documents: atOnce };
    this.#options = options;
    this.#policy = createAddressPolicy(allowAddresses);
    this.#client = new UpstreamClient({ allowAddresses, userAgent: `Libretto/${ownVersion}`, now, limits });
    this.#upstream = new Upstream({
      settings: { id: url, url, allow: [], deny: [], credential: credentialOf(new URL(url)) },
      folder,
      client: this.#client,
      kept: this.#kept,
      freshness: () => ({ freshMs: dayMs, missingMs: dayMs, goneAfterMs: 0 }),
      now,
      report: () => undefined,
    });
  }

  /** What it lists as names of its packages; undefined: it does not list them. Throws BuildRefused. */
  async names(): Promise<readonly string[] | undefined> {
    const names = await this.#patiently(() => this.#upstream.names()).catch((error: unknown) => {
      throw error instanceof UpstreamUnavailable ? new BuildRefused(error.message, { cause: error }) : error;
    });
    return names && [...new Set(names)].toSorted();
  }

  /** Its versions of a package. Rejects with UpstreamUnavailable. */
  async offered(name: PackageName): Promise<Offered & { readonly records: readonly JsonObject[] }> {
    const [stable, dev] = await this.#patiently(() =>
      Promise.all([this.#upstream.offer(name, 'stable'), this.#upstream.offer(name, 'dev')]),
    );
    // a record whose version Composer does not accept is in either, or in both
    const records = new Set([
      ...(stable?.document.versions ?? []).filter((record) => !isOf(record, 'dev')),
      ...(dev?.document.versions ?? []).filter((record) => !isOf(record, 'stable')),
    ]);
    return { ...(await offeredVersionsYielding(name, [...records], checkUpstreamRecord)), records: [...records] };
  }

  /** Where the archive of a version is. Rejects with UpstreamRefused: nowhere that may be asked. */
  async addressesOf(name: PackageName, offered: VersionWithDist): Promise<readonly URL[]> {
    const { mirrors } = await this.#patiently(() => this.#upstream.facts());
    let fault = 'its archive has no address of http or https';
    const usable = distCandidates({ ...offered, name }, mirrors, this.#upstream.destination.origin).filter((url) => {
      try {
        return checkedUrl(url.href, this.#policy).href !== '';
      } catch (error) {
        if (!(error instanceof EgressFailure)) throw error;
        fault = error.message;
        return false;
      }
    });
    if (usable.length === 0) throw new UpstreamRefused(fault);
    return usable;
  }

  /**
   * Writes the archive of a version to `path`, if it has the stated checksum. Rejects with UpstreamUnavailable and
   * UpstreamRefused.
   */
  async download(
    name: PackageName,
    offered: VersionWithDist,
    path: string,
  ): Promise<Pick<Downloaded, 'shasum' | 'size'>> {
    const home = this.#upstream.destination;
    const candidates = await this.addressesOf(name, offered);
    const [first] = candidates;
    // the credential of another host goes to that host alone
    const destination =
      first === undefined || first.origin === home.origin
        ? home
        : { origin: first.origin, credential: this.#options.credentialOf(first) };
    const download = {
      client: this.#client,
      destination,
      candidates,
      shasum: offered.dist.shasum,
      maxBytes: foreignZipLimits.archiveBytes,
      verifiedFirstBytes: foreignZipLimits.archiveBytes, // nobody reads it before its end
      leastSpeed: standardThroughputFloor,
      now: this.#options.now,
      onSize: () => undefined,
    };
    const request = (): Promise<Downloaded> => downloadArchive({ ...download, file: new TailStream(path) });
    return this.#patiently(request).catch(async (error: unknown) => {
      await rm(path, { force: true });
      throw error;
    });
  }

  async close(): Promise<void> {
    await this.#kept.written();
    await this.#client.close();
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  /** Repeats a request that fails in passing. Throws BuildRefused for a host that is down. */
  async #patiently<Value>(request: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const value = await request();
        this.#failures = 0;
        return value;
      } catch (error) {
        if (!(error instanceof UpstreamUnavailable) || error.lasting) throw error;
        if (attempt === attempts && (this.#failures += 1) < mostFailures) throw error;
        if (attempt === attempts)
          throw new BuildRefused(
            `${error.message} Nothing was published. Run the same command again later: what was fetched is kept.`,
            { cause: error },
          );
        await this.#pause(error.retryAtMs);
      }
    }
  }

  async #pause(untilMs: number): Promise<void> {
    const waitMs = Math.max(leastPauseMs, untilMs - this.#options.now());
    if (waitMs > leastPauseMs) this.#options.onWait(untilMs);
    await sleep(waitMs);
  }
}
