// P2 documents as the policy allows them. A blocked version is absent, and the document is still there: a package whose
// versions are all blocked has an empty list, and a sentence that Composer prints. A document without blocked
// versions, warnings and hidden sources stays the same object.

import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { dateShiftMs, viewShiftSeconds } from '../../../build/shared/caches/date-shift.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import {
  formatProviderDocument,
  readProviderDocument,
  type ExpandedDocument,
} from '../../core/documents/provider-document.ts';
import { TextDocument } from '../../core/http/document.ts';
import { factsOfRecord, type PackageOrigin, type VersionFacts } from '../judge/facts.ts';
import { noGains, type Gains } from '../judge/held-releases.ts';
import { earlier, judgePackage } from '../judge/judge.ts';
import type { CurrentPolicy } from './current-policy.ts';
import type { ApplicableRules } from './rule-finder.ts';
import { Warnings } from './warnings.ts';

interface Policed {
  readonly base: TextDocument;
  readonly policy: CurrentPolicy;
  readonly document: TextDocument;
  readonly changesAtMs: number | undefined;
  readonly epoch: number;
}

/** These rules of this policy leave a document as it is. */
interface Verdict {
  readonly policy: CurrentPolicy;
  readonly found: ApplicableRules;
  readonly untilMs: number;
  readonly epoch: number;
}

export interface PolicedPackage {
  readonly name: PackageName;
  readonly stability: 'stable' | 'dev';
  readonly origin: PackageOrigin;
  /** of the token's view; empty without one */
  readonly viewKey: string;
  readonly found: ApplicableRules;
  /** Adds what a record does not have: its README, and who signed its tag. */
  readonly complete: () => MaybeAsync<(facts: VersionFacts) => VersionFacts>;
  /** grows with each publication */
  readonly epoch: number;
  /** the advisories and filter lists that count; default: those at the top of the document */
  readonly lists?: JsonObject;
  /** what all releases of the package gained, also those that the view hides */
  readonly gains: () => MaybeAsync<Gains>;
}

/** A record has all facts that the rules read. */
export const asRecorded = (facts: VersionFacts): VersionFacts => facts;

export class PolicedDocuments {
  readonly #kept: ByteCache<Policed>;
  /** documents that stay as they are: most requests need no other look-up */
  readonly #unchanged = new WeakMap<TextDocument, Verdict>();
  readonly #making = new SingleFlight<TextDocument>();

  constructor(cacheBytes: number) {
    this.#kept = new ByteCache(cacheBytes);
  }

  /** `base`: the document that the token would see without a policy. */
  get(base: TextDocument, policy: CurrentPolicy, asked: PolicedPackage, nowMs: number): MaybeAsync<TextDocument> {
    const { name, stability, viewKey, found } = asked;
    const key = `${name} ${stability} ${viewKey} ${found.key}`;
    const known = this.#kept.get(key);
    if (
      known?.base === base &&
      known.policy === policy &&
      nowMs < (known.changesAtMs ?? Number.POSITIVE_INFINITY) &&
      (!(found.readsIndex || found.readsGains) || known.epoch === asked.epoch)
    )
      return known.document;
    return this.#making.run(key, () => this.#make(key, base, policy, asked, nowMs), [base, policy]);
  }

  /** True if these rules are known to leave the document as it is. */
  isUnchanged(
    base: TextDocument,
    policy: CurrentPolicy,
    found: ApplicableRules,
    nowMs: number,
    epoch: number,
  ): boolean {
    const verdict = this.#unchanged.get(base);
    return (
      verdict !== undefined &&
      verdict.policy === policy &&
      verdict.found === found &&
      nowMs < verdict.untilMs &&
      (!(found.readsIndex || found.readsGains) || verdict.epoch === epoch)
    );
  }

  /** The memory of `document` has grown by this many bytes. */
  grow({ name, stability, viewKey, found }: PolicedPackage, document: TextDocument, bytes: number): void {
    const key = `${name} ${stability} ${viewKey} ${found.key}`;
    const known = this.#kept.get(key);
    if (known?.document === document) this.#kept.grow(key, known, bytes);
  }

  async #make(
    key: string,
    base: TextDocument,
    policy: CurrentPolicy,
    asked: PolicedPackage,
    nowMs: number,
  ): Promise<TextDocument> {
    const { name, origin, found, epoch } = asked;
    const read = await readProviderDocument(base, name);
    const gains = found.readsGains ? await asked.gains() : noGains;
    const judge = judgePackage(
      found.rules,
      policy.factsOf(name, origin, asked.lists ?? read.beside, () => gains),
    );
    const complete = await asked.complete();
    const warnings = new Warnings(name);
    let changesAtMs: number | undefined;
    const kept = await mapYielding(read.records, (record) => {
      const facts = complete(factsOfRecord(record));
      const judgement = judge(facts, nowMs);
      changesAtMs = earlier(changesAtMs, judgement.changesAtMs);
      return warnings.add(facts.version, judgement);
    });
    const records = read.records.filter((_, at) => kept[at] === true);
    const document = await formatted(base, asked, read, records, warnings.lines);
    if (document === base)
      this.#unchanged.set(base, { policy, found, untilMs: changesAtMs ?? Number.POSITIVE_INFINITY, epoch });
    else this.#kept.set(key, { base, policy, document, changesAtMs, epoch }, key.length + 512 + document.weight);
    return document;
  }
}

async function formatted(
  base: TextDocument,
  { name, found: { hidesSource } }: PolicedPackage,
  read: ExpandedDocument,
  kept: readonly JsonObject[],
  warnings: readonly string[],
): Promise<TextDocument> {
  const shown = hidesSource ? kept.map(withoutSource) : kept;
  if (kept.length === read.records.length && warnings.length === 0 && shown.every((record, at) => record === kept[at]))
    return base;
  const beside =
    warnings.length === 0 ? read.beside : { ...read.beside, warnings: withWarnings(read.beside, warnings) };
  const bytes = await formatProviderDocument(name, { records: shown, beside });
  const difference = JSON.stringify([
    kept.length === read.records.length ? null : kept.map(({ version }) => version ?? null),
    hidesSource,
    warnings,
  ]);
  return new TextDocument(bytes, base.lastModifiedMs - dateShiftMs(difference, viewShiftSeconds));
}

function withoutSource(record: JsonObject): JsonObject {
  if (!('source' in record)) return record;
  const { source: _source, ...others } = record;
  return others;
}

function withWarnings({ warnings }: JsonObject, more: readonly string[]): JsonValue {
  return [...(Array.isArray(warnings) ? warnings : []), ...more.map((message) => ({ versions: '*', message }))];
}
