// When this registry first saw each release of a mirrored package, and with which reference: only its own clock counts,
// since authors date tags back. The releases of the first document that it sees are history, and so are those that
// were there when a rule began. A moved tag has arrived again, and so has a release whose record can do something else.
// One small file for each package, while a rule asks. It is written before a document with the release is sent. A
// damaged file is an error, and never history.

import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAsWritten, withChecksum } from '../../../build/contract/checksum.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import {
  areComparable,
  capabilitiesOf,
  capabilityDigest,
  digestOfCapabilities,
  isDecisive,
  type Capability,
} from '../../../build/review/capabilities.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { replaceFileDurably } from '../../../build/shared/files/atomic-file.ts';
import { readWhole } from '../../../build/shared/files/read-whole.ts';
import { messageOf } from '../../../build/shared/text/message-of.ts';
import type { CurrentPolicy } from '../../policy/apply/current-policy.ts';
import { readsGains } from '../../policy/apply/rule-finder.ts';
import { gainsOf, noGains, releasesIn, type ArrivedRelease, type Gains } from '../../policy/judge/held-releases.ts';
import { rulesAbout } from '../../policy/judge/judge.ts';
import { normalized } from '../rules/release-rules.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import { UnreadableRecord } from './read-record.ts';

interface Identity {
  readonly reference: string;
  /** of its capabilities */
  readonly digest: string;
  /** digests of its decisive ones */
  readonly can: readonly string[];
}

/** By normalized version. */
type Offered = Readonly<Record<string, Identity>>;

/**
 * `at`: epoch milliseconds; 0: history. `had`: what it could do before it first moved; absent: it has not moved. `hadAt`:
 * `at` before that. A file of an earlier program has no `can` and no `hadAt`.
 */
type SeenRelease = Omit<Identity, 'can'> & {
  readonly at: number;
  readonly can?: readonly string[];
  readonly had?: readonly string[];
  readonly hadAt?: number;
};
type Seen = Readonly<Record<string, SeenRelease>>;

interface Ledger {
  /** when a document was last compared, epoch milliseconds */
  readonly comparedMs: number;
  readonly releases: Seen;
}

const format = 1;
const mostReleases = 20_000;

export class Arrivals {
  readonly #folder: string;
  readonly #report: ReportMirrorEvent;
  readonly #updating = new SingleFlight<Seen>();

  /** `folder`: of the mirror. */
  constructor(folder: string, report: ReportMirrorEvent) {
    this.#folder = join(folder, 'arrivals');
    this.#report = report;
  }

  /** Empty: nothing was compared yet. Rejects with UnreadableRecord for a damaged file. */
  async read(name: PackageName): Promise<Seen> {
    return (await this.#ledger(name))?.releases ?? {};
  }

  /** Notes the releases that are new. `since`: what was here before a rule began is history. */
  update(name: PackageName, offered: Offered, since: number, nowMs: number): Promise<Seen> {
    return this.#updating.run(name, () => this.#update(name, offered, since, nowMs), [JSON.stringify(offered), since]);
  }

  async #update(name: PackageName, offered: Offered, sinceMs: number, nowMs: number): Promise<Seen> {
    const before = await this.#ledger(name);
    if (Object.keys(offered).length === 0) return before?.releases ?? {}; // no document of releases was read
    const isFirst = before === undefined || before.comparedMs < sinceMs;
    const known = isFirst ? {} : before.releases;
    const changed = Object.entries(offered).filter(([version, one]) => !isSame(known[version], one));
    if (!isFirst && changed.length === 0) return known;
    const fresh = changed.slice(0, mostReleases).map(([version, one]) => {
      const last = known[version];
      const isMoved = last?.reference !== one.reference || areComparable(last.digest, one.digest);
      const { had, hadAt = 0 } = isMoved && last?.can && !last.had ? { had: last.can, hadAt: last.at } : (last ?? {});
      return [version, { at: isFirst ? 0 : isMoved ? nowMs : last.at, ...one, ...(had && { had, hadAt }) }] as const;
    });
    const releases: Seen = { ...known, ...Object.fromEntries(fresh) };
    await this.#write(name, { comparedMs: nowMs, releases });
    return releases;
  }

  async #ledger(name: PackageName): Promise<Ledger | undefined> {
    const path = this.pathOf(name);
    const text = (await readWhole(path))?.bytes.toString('utf8');
    if (text === undefined) return undefined;
    const json: unknown = isAsWritten(text) ? JSON.parse(text) : undefined;
    if (isJsonObject(json) && json['format'] === format) return json as unknown as Ledger;
    throw new UnreadableRecord(
      path,
      `${path} is damaged: when the releases of ${name} arrived is unknown. Restore it from a backup. If you remove ` +
        `it, all releases that its upstream offers now are accepted`,
    );
  }

  /** On a disk that accepts no write, releases arrive again and again, and stay held. */
  async #write(name: PackageName, ledger: Ledger): Promise<void> {
    const path = this.pathOf(name);
    try {
      await mkdir(dirname(path), { recursive: true });
      await replaceFileDurably(path, [withChecksum(JSON.stringify({ format, ...ledger }))]);
    } catch (error) {
      this.#report({ kind: 'lists-unwritten', name, message: `${path} cannot be written: ${messageOf(error)}` });
    }
  }

  pathOf(name: PackageName): string {
    return join(this.#folder, `${name}.json`);
  }
}

function isSame(last: SeenRelease | undefined, { reference, digest }: Identity): boolean {
  return last?.reference === reference && last.digest === digest;
}

/** What the releases gained, if a rule about the package asks. `records`: those of releases count. */
export async function mirroredGains(
  name: PackageName,
  records: readonly JsonObject[],
  policy: CurrentPolicy | undefined,
  arrivals: Arrivals,
  nowMs: number,
): Promise<Gains> {
  const rules = policy === undefined ? [] : rulesAbout(policy.compiled, { name, origin: 'mirrored' }, () => true);
  if (!readsGains(rules)) return noGains;
  const begins = rules.flatMap(({ given }) =>
    given.rule === 'capability' ? [Date.parse(given.since ?? '') || 0] : [],
  );
  const releases = records.map(normalized);
  const offered = Object.fromEntries(
    releasesIn(releases).map(({ release: { normalized: version, reference, capabilities } }) => [
      version,
      {
        reference,
        digest: digestOfCapabilities(capabilities),
        can: capabilities.filter(isDecisive).map(capabilityDigest),
      },
    ]),
  );
  // of several rules, each looks at what arrived since it began
  const seen = await arrivals.update(name, offered, Math.min(...begins), nowMs);
  return arrivedGains(releases, seen);
}

/** A stored archive, which the upstream may no longer offer. */
export interface KeptArchive {
  readonly normalized: string;
  readonly reference: string;
  readonly record: JsonObject;
}

/**
 * The gains, where a stored archive stands in for what its upstream offers now. After its tag moved, the archive is
 * judged as it was before if it can only do what the release could then: lock files that name it keep working. Else it
 * is compared as if it had arrived now.
 */
export function gainsOfKept(
  offered: Gains,
  records: readonly JsonObject[],
  seen: Seen,
  { normalized: version, reference, record }: KeptArchive,
): Gains {
  const last = seen[version];
  if (last === undefined || offered.get(version)?.release.reference === reference) return offered;
  const isFormer = (one: Capability): boolean => !isDecisive(one) || last.had?.includes(capabilityDigest(one)) === true;
  const isAsBefore = last.reference !== reference && capabilitiesOf(record).every(isFormer);
  const others = records.map(normalized).filter((one) => one['version_normalized'] !== version);
  const about = isAsBefore ? { reference, digest: last.digest, at: last.hadAt ?? 0 } : { ...last, reference };
  const now = { ...seen, [version]: about };
  return records.length === 0 ? gainsAfterRemoval([record], now) : arrivedGains([...others, normalized(record)], now);
}

/** Of stored archives, after the upstream removed their package: what its other releases could do was noted. */
export function gainsAfterRemoval(stored: readonly JsonObject[], seen: Seen): Gains {
  const capabilities = stored.flatMap(capabilitiesOf);
  const others = Object.entries(seen).flatMap(([version, { reference, at, can }]) => {
    if (can === undefined) return [];
    const had = capabilities.filter((one) => !isDecisive(one) || can.includes(capabilityDigest(one)));
    const of = { version: version.replace(/\.0(?=-|$)/, ''), normalized: version as NormalizedVersion, reference };
    return [{ ...of, capabilities: had, arrivedMs: at, changedMs: at }];
  });
  return arrivedGains(stored.map(normalized), seen, others);
}

/**
 * As far as is known, without noting anything. `isGone`: only archives are stored, and these are their records. Rejects
 * with UnreadableRecord.
 */
export async function storedGains(
  name: PackageName,
  records: readonly JsonObject[],
  policy: CurrentPolicy | undefined,
  arrivals: Arrivals,
  isGone = false,
): Promise<Gains> {
  const rules = policy?.rules.about(name, 'mirrored', undefined).rules ?? [];
  if (!readsGains(rules)) return noGains;
  const seen = await arrivals.read(name);
  return isGone ? gainsAfterRemoval(records, seen) : arrivedGains(records.map(normalized), seen);
}

/** `releases`: each with `version_normalized`. `gone`: those that are no longer offered. */
export function arrivedGains(releases: readonly JsonObject[], seen: Seen, gone: readonly ArrivedRelease[] = []): Gains {
  const seenOf = ({ version_normalized: version }: JsonObject): SeenRelease | undefined => seen[String(version)];
  return gainsOf(
    releases,
    (record) => seenOf(record)?.at ?? 0,
    0,
    (record) => {
      const had = seenOf(record)?.had;
      return had && ((capability) => !isDecisive(capability) || had.includes(capabilityDigest(capability)));
    },
    gone,
  );
}
