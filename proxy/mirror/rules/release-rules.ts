// Decides which versions of a mirrored package are offered: by the policy of the registry (I26), and by tombstones. A
// document omits refused versions. A version with a warning stays in the document with a text that Composer shows.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { nothingPurged, type PurgedLookup } from '../../../build/contract/purged.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { isDevVersion, normalizeVersion } from '../../../build/contract/version.ts';
import type { CurrentPolicy } from '../../policy/apply/current-policy.ts';
import { Warnings } from '../../policy/apply/warnings.ts';
import { factsOfRecord, type VersionFacts } from '../../policy/judge/facts.ts';
import { noGains, type Gains } from '../../policy/judge/held-releases.ts';
import { blockOf, earlier, judgePackage, type PolicyJudgement } from '../../policy/judge/judge.ts';

export interface ReleaseRules {
  /** the rules of all tokens; undefined: none */
  readonly policy: CurrentPolicy | undefined;
  /** versions that are never offered, nor fetched, nor served */
  readonly purged: PurgedLookup;
}

export const noRules: ReleaseRules = { policy: undefined, purged: nothingPurged };

export interface RefusedVersion {
  readonly version: string;
  readonly because: string;
  /** the name of the rule: of the policy, or a setting such as `mirroring.licenses`. `purged`: a tombstone refuses it */
  readonly setting: string;
}

export interface Ruled {
  readonly offered: readonly JsonObject[];
  readonly refused: readonly RefusedVersion[];
  /** sentences for the person who installs */
  readonly warnings: readonly string[];
  /** when the clock changes a result; undefined: never */
  readonly changesAtMs: number | undefined;
}

/**
 * `records`: full ones, each with a `version`. `beside`: the keys at the top of the upstream's document. Other requests
 * get their turn in between.
 */
export async function applyRules(
  name: PackageName,
  records: readonly JsonObject[],
  rules: ReleaseRules,
  nowMs: number,
  beside: JsonObject = {},
  {
    factsOf = (record) => factsOfRecord(normalized(record)),
    gains = noGains,
  }: { readonly factsOf?: (record: JsonObject) => VersionFacts; readonly gains?: Gains } = {},
): Promise<Ruled> {
  const offered: JsonObject[] = [];
  const refused: RefusedVersion[] = [];
  const warnings = new Warnings(name);
  const judge = judgeOf(name, rules, beside, factsOf, gains);
  let changesAtMs: number | undefined;
  const turn = createTurns();
  for (const record of records) {
    await turn();
    const version = String(record['version']);
    const judgement = judge(record, nowMs);
    changesAtMs = earlier(changesAtMs, judgement.changesAtMs);
    const block = blockOf(judgement);
    const purged = purgedReason(name, record, rules);
    if (purged !== undefined) refused.push({ version, because: purged, setting: 'purged' });
    else if (warnings.add(version, judgement)) offered.push(record);
    else if (block !== undefined) refused.push({ version, because: block.because, setting: block.rule.name });
  }
  return { offered, refused, warnings: warnings.lines, changesAtMs };
}

const nothing: PolicyJudgement = { findings: [], changesAtMs: undefined };

function judgeOf(
  name: PackageName,
  { policy }: ReleaseRules,
  beside: JsonObject,
  factsOf: (record: JsonObject) => VersionFacts,
  gains: Gains,
): (record: JsonObject, nowMs: number) => PolicyJudgement {
  const found = policy?.rules.about(name, 'mirrored', undefined);
  if (policy === undefined || found === undefined || found.rules.length === 0) return () => nothing;
  const judge = judgePackage(
    found.rules,
    policy.factsOf(name, 'mirrored', beside, () => gains),
  );
  return (record, nowMs) => judge(factsOf(record), nowMs);
}

/**
 * An upstream may leave the normalized version out, or give one that is not of the version: a release is a release if
 * one of both says so.
 */
export function normalized(record: JsonObject): JsonObject {
  const { version, version_normalized: given } = record;
  const own = normalizeVersion(String(version)) ?? String(version);
  const isGiven = typeof given === 'string' && (given === own || isDevVersion(own));
  return isGiven ? record : { ...record, version_normalized: own };
}

/** Why a tombstone refuses this version; undefined: none does. */
export function purgedReason(
  name: string,
  { version, dist }: JsonObject,
  { purged }: ReleaseRules,
): string | undefined {
  if (purged.rows.length === 0) return undefined;
  const reference = isJsonObject(dist) ? String(dist['reference'] ?? '') : '';
  const tombstone = purged.blocks(name, { normalized: normalizeVersion(String(version)) ?? '', reference });
  return tombstone === undefined ? undefined : `it was purged on ${tombstone.since.slice(0, 10)} (${tombstone.reason})`;
}
