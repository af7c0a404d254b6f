// Archives of mirrored packages: accepted archives from disk, new ones from their upstream.

import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import type { Answer } from '../../core/http/answer.ts';
import { cacheHeaders, type Conditions } from '../../core/http/representation.ts';
import type { RequestedVersion } from '../../core/protocol/mirrored-packages.ts';
import { tombstoneOf } from '../../core/protocol/tombstones.ts';
import { archiveHeaders, ArchiveMismatch } from '../../core/tree/archive-store.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import { ofUpstream } from '../upstream/mirror-failure.ts';
import type { CheckRecord } from '../versions/offered-version.ts';
import type { AcceptedArchiveStore } from './accepted-archive-store.ts';
import type { ArchiveFetcher, ArchiveDownload, Fetch } from './archive-fetcher.ts';
import type { ArchiveRecord } from './archive-record.ts';
import { FetchableArchives, type ArchiveLookup, type Fetchable } from './fetchable-archives.ts';
import type { ArchiveOwner, MirroredJudgements, PolicyRefusal } from './mirrored-judgements.ts';

export interface ArchivesOptions {
  readonly archiveStore: AcceptedArchiveStore;
  readonly fetcher: ArchiveFetcher;
  readonly judgements: Pick<MirroredJudgements, 'ofStored' | 'ofOffered' | 'isBlocked'>;
  readonly check: CheckRecord;
  readonly report: ReportMirrorEvent;
}

export class MirroredArchives {
  readonly #options: ArchivesOptions;
  readonly #fetchable: FetchableArchives;

  constructor(options: ArchivesOptions) {
    this.#options = options;
    this.#fetchable = new FetchableArchives(options);
  }

  /**
   * undefined: there is no such version. `refuse` judges exactly the archive that is sent. Rejects with
   * UpstreamUnavailable or UpstreamRefused.
   */
  async get(wanted: ArchiveLookup, conditions: Conditions, refuse: PolicyRefusal): Promise<Answer | undefined> {
    const { asked, compiled } = wanted;
    if (isPurged(asked, compiled)) return undefined;
    const entry = this.#options.archiveStore.atHand(asked.name)?.archive(asked.labels, asked.reference);
    if (entry === undefined) return this.#look(wanted, conditions, refuse);
    try {
      return await this.#stored(entry, wanted, conditions, refuse);
    } catch (error) {
      if (!(error instanceof ArchiveMismatch)) throw error;
      return this.#look(wanted, conditions, refuse);
    }
  }

  /** Fetches the archive if it is not stored yet, and resolves after that. undefined: there is no such version. */
  async bring(wanted: ArchiveLookup): Promise<'here' | 'fetched' | undefined> {
    const { asked, compiled } = wanted;
    if (isPurged(asked, compiled)) return undefined;
    const accepted = await this.#options.archiveStore.acceptedNow(asked.name);
    const entry = accepted.archive(asked.labels, asked.reference);
    if (
      entry !== undefined &&
      (await this.#options.archiveStore.digest({ name: asked.name, shasum: entry.shasum })) === entry.shasum
    )
      return 'here';
    const fetch =
      entry === undefined
        ? (await this.#allowed(wanted))?.fetch()
        : await this.#fetchable.again(asked.name, entry, wanted);
    if (fetch === undefined) return undefined;
    await (
      await this.#options.fetcher.fetch(fetch)
    ).kept;
    return 'fetched';
  }

  async #look(wanted: ArchiveLookup, conditions: Conditions, refuse: PolicyRefusal): Promise<Answer | undefined> {
    const { asked } = wanted;
    const entry = (await this.#options.archiveStore.acceptedNow(asked.name)).archive(asked.labels, asked.reference);
    if (entry === undefined) return this.#fetchNew(wanted, conditions, refuse);
    try {
      return await this.#stored(entry, wanted, conditions, refuse);
    } catch (error) {
      if (!(error instanceof ArchiveMismatch)) throw error;
    }
    const fetch = await this.#fetchable.again(asked.name, entry, wanted);
    return fetch && this.#fetched(fetch, conditions);
  }

  /** Throws ArchiveMismatch if the file is missing or differs from the accepted one. */
  async #stored(
    entry: IndexEntry,
    wanted: ArchiveLookup,
    conditions: Conditions,
    refuse: PolicyRefusal,
  ): Promise<Answer | undefined> {
    const { archiveStore, judgements } = this.#options;
    const judge = judgements.ofStored(entry, ownerOf(wanted), wanted.asked.reference !== undefined);
    return (await refuse(judge)) ?? archiveStore.answer(entry, conditions);
  }

  async #fetchNew(wanted: ArchiveLookup, conditions: Conditions, refuse: PolicyRefusal): Promise<Answer | undefined> {
    const { judgements } = this.#options;
    const found = await this.#fetchable.find(wanted);
    if (found === undefined) return undefined;
    const refusal = await refuse(judgements.ofOffered(found, ownerOf(wanted)));
    if (refusal !== undefined) return refusal;
    return (await judgements.isBlocked(found, ownerOf(wanted))) ? undefined : this.#fetched(found.fetch(), conditions);
  }

  async #fetched(fetch: Fetch, conditions: Conditions): Promise<Answer> {
    const arrival = await this.#options.fetcher.fetch(fetch).catch(ofUpstream(fetch.destination.origin));
    return (await streamed(arrival)) ?? this.#accepted(await arrival.kept, conditions);
  }

  async #accepted(
    { name, version, normalized, dev, reference }: ArchiveRecord,
    conditions: Conditions,
  ): Promise<Answer> {
    const known = (await this.#options.archiveStore.accepted(name)).entry({ version, normalized, dev }, reference);
    if (known === undefined) throw new Error(`${name} ${version} was fetched, and is not to be found`);
    return this.#options.archiveStore.answer(known, conditions);
  }

  /** undefined, too, if a rule for all tokens blocks it. */
  async #allowed(wanted: ArchiveLookup): Promise<Fetchable | undefined> {
    const found = await this.#fetchable.find(wanted);
    if (found === undefined) return undefined;
    return (await this.#options.judgements.isBlocked(found, ownerOf(wanted))) ? undefined : found;
  }
}

function ownerOf({ asked: { name }, ids, compiled }: ArchiveLookup): ArchiveOwner {
  return { name, ids, compiled };
}

/** True if the version is purged, even if its archive was accepted. */
function isPurged(asked: RequestedVersion, { rules }: Compiled): boolean {
  return rules.releases.purged.rows.length > 0 && tombstoneOf(asked, rules.releases.purged) !== undefined;
}

/** The archive during its download; undefined before the first released byte, and after the end of the download. */
async function streamed({ file, size }: ArchiveDownload): Promise<Answer | undefined> {
  if (file.released === 0 || file.released === size) return undefined;
  try {
    return {
      status: 200,
      headers: [...archiveHeaders, ...(size === undefined ? [] : ['Content-Length', String(size)]), ...cacheHeaders],
      body: await file.reader(),
    };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
