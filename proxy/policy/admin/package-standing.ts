// What is known now of the versions of a package, an own or a mirrored one: advisories, filter lists, blocks of the
// policy, and the release that fixes a version. It reads what is stored here, and sends no request.

import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { matches, parseConstraint } from '../../../build/contract/constraint.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import type { ReleaseFacts } from '../../core/views/view.ts';
import { listedFacts, noOutsideLists } from '../apply/current-policy.ts';
import type { PolicyReader, PolicySources } from '../apply/policy-reader.ts';
import { isMalwareId, malwareList, type PackageFacts, type PackageOrigin } from '../judge/facts.ts';
import { noGains } from '../judge/held-releases.ts';
import { blockOf, judgePackage, refusalOf } from '../judge/judge.ts';
import { findPackage } from './explain-version.ts';
import type { CandidatePackage, CandidateVersion, Listed, PackageSource } from './package-source.ts';

/** An advisory, or an entry of a filter list. */
export interface Concern {
  /** of the advisory, or the name of the list */
  readonly id: string;
  /** this id, and those that others gave it, such as a CVE */
  readonly ids: readonly string[];
  readonly title: string;
  readonly severity: string | null;
  readonly isMalware: boolean;
}

export interface Block {
  /** its name */
  readonly rule: string;
  /** completes a sentence: `it is abandoned` */
  readonly because: string;
  /** true: the release waits until time or a person decides */
  readonly isHeld: boolean;
}

export interface VersionStanding {
  readonly version: string;
  /** what views decide by */
  readonly release: ReleaseFacts;
  readonly state: 'supported' | 'dev' | 'advisory' | 'malware' | 'blocked' | 'held' | 'withdrawn';
  /** false: clients get its archive from elsewhere, or nobody has fetched it yet */
  readonly stored: boolean;
  /** what keeps it out, of rules that name no tokens; undefined: nothing */
  readonly block: Block | undefined;
  /** true: a rule of the policy refuses its archive, also for lock files */
  readonly refused: boolean;
  readonly concerns: readonly Concern[];
  /** the first later release without a concern; null: there is none, or nothing is to fix */
  readonly fixedIn: string | null;
}

/** Who says that it is malware, and why; null: nobody. */
export function malwareOf({ concerns }: Pick<VersionStanding, 'concerns'>): string | null {
  const found = concerns.find(({ isMalware }) => isMalware);
  return found === undefined ? null : `${found.id}: ${found.title}`;
}

export interface PackageStanding {
  readonly name: PackageName;
  readonly origin: PackageOrigin;
  readonly versions: readonly VersionStanding[];
}

export interface StandingParts {
  readonly sources: PolicySources;
  readonly reader: PolicyReader;
  readonly packages: readonly PackageSource[];
}

/** Finds what keeps a version of one package out; undefined: it is offered. */
export type FindBlock = (version: { readonly entry: { readonly version: string } }) => Block | undefined;

/** The blocks among the versions of a package that is published here. */
export type BlockedVersions = (name: PackageName, nowMs: number) => Promise<FindBlock>;

/** Nothing is read where no rule is about the package. Of a damaged one nothing is found: its page shows the damage. */
export async function readBlocks(
  parts: StandingParts,
  ...[name, nowMs]: Parameters<BlockedVersions>
): Promise<FindBlock> {
  const { rules } = (await parts.reader.current(nowMs)).rules.about(name, 'private', undefined);
  const standing = rules.length === 0 ? undefined : await readStanding(parts, name, nowMs).catch(undefinedIfUnusable);
  const blocks = new Map(standing?.versions.map(({ version, block }) => [version, block]));
  return ({ entry }) => blocks.get(entry.version);
}

/** For a damaged package. */
export function undefinedIfUnusable(error: unknown): undefined {
  if (!(error instanceof UnusableFile)) throw error;
}

type Known = Pick<CandidatePackage, 'name' | 'origin' | 'beside' | 'gains'>;

/** undefined: nothing is stored of the package. Rejects for a damaged one. */
export async function readStanding(
  { sources, reader, packages }: StandingParts,
  name: PackageName,
  nowMs: number,
): Promise<PackageStanding | undefined> {
  const known = await findPackage(packages, name);
  if (known === undefined) return undefined;
  const facts = (await readLists(sources, nowMs))(known);
  const policy = await reader.current(nowMs);
  const { rules } = policy.rules.about(name, known.origin, undefined);
  const judge = judgePackage(rules, facts);
  const concernsOf = concernsIn(facts);
  const judged = known.versions.map((version): Omit<VersionStanding, 'fixedIn'> & CandidateVersion => {
    const concerns = concernsOf(version.facts.normalized);
    const judgement = judge(version.facts, nowMs);
    const found = blockOf(judgement);
    const block = found && { rule: found.rule.name, because: found.because, isHeld: found.isHeld };
    const state = stateOf(version, concerns, block);
    const refused = refusalOf(judgement, version.stored) !== undefined;
    return { ...version, version: version.facts.version, concerns, state, block, refused };
  });
  const releases = judged.filter(({ state }) => state === 'supported').toSorted(ascending);
  return {
    name,
    origin: known.origin,
    versions: judged.map((one) => ({
      ...one,
      fixedIn: one.concerns.length === 0 ? null : (releases.find((next) => ascending(next, one) > 0)?.version ?? null),
    })),
  };
}

function ascending({ facts: one }: CandidateVersion, { facts: other }: CandidateVersion): number {
  return compareNormalized(one.normalized as NormalizedVersion, other.normalized as NormalizedVersion);
}

function stateOf(
  { facts, isOffered }: CandidateVersion,
  concerns: readonly Concern[],
  block: Block | undefined,
): VersionStanding['state'] {
  if (!isOffered) return 'withdrawn';
  if (malwareOf({ concerns }) !== null) return 'malware';
  if (block !== undefined) return block.isHeld ? 'held' : 'blocked';
  if (concerns.length > 0) return 'advisory';
  return facts.dev ? 'dev' : 'supported';
}

/** A constraint that Composer refuses is about no version. An advisory of several lists counts once. */
function concernsIn({ advisories, entries }: PackageFacts): (normalized: string) => readonly Concern[] {
  const all = [
    ...advisories.map(({ id, aliases, title, severity, constraint }) => {
      const ids = [id, ...aliases];
      const concern = { id, ids, title, severity, isMalware: ids.some(isMalwareId) };
      return { ids, concern, parsed: parseConstraint(constraint) };
    }),
    ...entries.map(({ list, reason, constraint }) => {
      const concern = {
        id: list,
        ids: reason?.match(/\bMAL-[\w-]+/g) ?? [],
        title: reason ?? `on the list ${list}`,
        severity: null,
        isMalware: list === malwareList,
      };
      // an entry that names an advisory repeats it
      const ids = [`${list} ${concern.title}`, ...concern.ids];
      return { ids, concern, parsed: parseConstraint(constraint) };
    }),
  ];
  return (normalized) => {
    const known = new Set<string>();
    return all.flatMap(({ ids, concern, parsed }) => {
      if ('refusal' in parsed || !matches(parsed.constraint, normalized as NormalizedVersion)) return [];
      const isKnown = ids.some((id) => known.has(id));
      for (const id of ids) known.add(id);
      return isKnown ? [] : [concern];
    });
  };
}

async function readLists({ own, outside }: PolicySources, nowMs: number): Promise<(known: Known) => PackageFacts> {
  const [lists, others] = [(await own?.read(nowMs)) ?? noAdvisories, outside?.() ?? noOutsideLists];
  return (known) => listedFacts(lists, others, known);
}

export interface Exposures {
  /** those whose archives clients get here, also by a lock file */
  readonly versions: readonly (VersionStanding & Pick<PackageStanding, 'name' | 'origin'>)[];
  /** malware that no client has fetched yet: it gets it on request, or a rule refuses it */
  readonly offered: Exposures['versions'];
  /** packages whose files are damaged */
  readonly unread: readonly PackageName[];
}

/** All stored versions with a concern. Others get their turn in between. */
export async function readExposures(parts: StandingParts, nowMs: number): Promise<Exposures> {
  const factsOf = await readLists(parts.sources, nowMs);
  const turn = createTurns();
  const versions: Exposures['versions'][number][] = [];
  const offered: typeof versions = [];
  const unread: PackageName[] = [];
  for (const source of parts.packages)
    for await (const { name, beside } of source.listed?.() ??
      (await source.names()).map((name): Listed => ({ name }))) {
      await turn();
      try {
        const facts = factsOf({ name, origin: source.origin, beside: (await beside?.()) ?? {}, gains: () => noGains });
        if (facts.advisories.length + facts.entries.length === 0) continue;
        const { versions: all = [], origin } = (await readStanding(parts, name, nowMs)) ?? { origin: source.origin };
        const named = all.map((one) => ({ ...one, name, origin })).filter(({ concerns }) => concerns.length > 0);
        if (origin !== source.origin) continue;
        versions.push(...named.filter(({ stored }) => stored));
        offered.push(...named.filter(({ stored, state }) => !stored && state === 'malware'));
      } catch (error) {
        if (!(error instanceof UnusableFile)) throw error;
        unread.push(name);
      }
    }
  return { versions, offered, unread };
}
