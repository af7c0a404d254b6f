// Lists the versions of a mirrored package that are not offered, each with the reason. The list also names versions
// that the upstream has changed since they were accepted. The verdicts come from stored documents and records, by the
// server's rules. No request is sent.

import { storedGains, type Arrivals } from '../../proxy/mirror/archives/arrivals.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { AcceptedPackage } from '../../proxy/mirror/archives/accepted-package.ts';
import { archiveKey, type ArchiveRecord } from '../../proxy/mirror/archives/archive-record.ts';
import { offeredVersions, type DropReason } from '../../proxy/mirror/versions/offered-version.ts';
import { applyRules, type RefusedVersion, type ReleaseRules } from '../../proxy/mirror/rules/release-rules.ts';
import type { CachedVersions } from '../../proxy/mirror/documents/cached-versions.ts';
import { pinVersions } from '../../proxy/mirror/archives/pinned-versions.ts';
import { checkUpstreamRecord } from './compose-mirror.ts';

export interface UnofferedVersions {
  readonly left_out: readonly {
    readonly version: string;
    readonly because: string;
    readonly reason: DropReason | 'document' | 'rule';
    /** the rule, or `purged`; null for other reasons */
    readonly setting: RefusedVersion['setting'] | null;
  }[];
  /** alarms: the accepted version is still served */
  readonly changed: readonly { readonly version: string; readonly message: string }[];
}

export interface UnofferedParts {
  /** the upstream's versions, in full */
  readonly cached: CachedVersions;
  readonly accepted: readonly ArchiveRecord[];
  readonly rules: ReleaseRules;
  readonly nowMs: number;
  readonly arrivals: Arrivals;
}

export async function unofferedVersions(
  name: PackageName,
  { cached: { records, unread = [], beside }, accepted, rules, nowMs, arrivals }: UnofferedParts,
): Promise<UnofferedVersions> {
  const { versions, leftOut } = offeredVersions(name, records, checkUpstreamRecord);
  const byKey = new Map(accepted.map((record) => [archiveKey(record), record]));
  const changed: UnofferedVersions['changed'][number][] = [];
  const settled = await pinVersions(name, versions, new AcceptedPackage(name, accepted), {
    archiveStore: { record: (version) => Promise.resolve(byKey.get(archiveKey(version))) },
    check: checkUpstreamRecord,
    report: (event) =>
      void (event.kind === 'release-changed' && changed.push({ version: event.version, message: event.message })),
  });
  const { refused } = await applyRules(
    name,
    settled.versions.map(({ record }) => record),
    rules,
    nowMs,
    beside,
    { gains: await storedGains(name, records, rules.policy, arrivals) },
  );
  const because = 'its upstream has it in the document of dev versions, and other releases in that of releases';
  const elsewhere = unread.map(({ version }) => ({ version: String(version), reason: 'document' as const, because }));
  const byRule = refused.map((one) => ({ ...one, reason: 'rule' as const }));
  return { left_out: [...[...leftOut, ...elsewhere].map((one) => ({ ...one, setting: null })), ...byRule], changed };
}
