// What each kind of rule looks for. A condition is made once for a package, and then judges its versions. Pure.

import { parseConstraint } from '../../../build/contract/constraint.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import { matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';
import { compileConstraint } from '../../core/views/fast-matches.ts';
import type { RuleKind, RuleOf, VersionRule } from '../model/policy-document.ts';
import { severities } from '../model/words.ts';
import {
  isMalwareId,
  malwareIn,
  type AdvisoryFacts,
  type ListEntry,
  type PackageFacts,
  type VersionFacts,
} from './facts.ts';
import { holdOf, rejectionOf, type Gains } from './held-releases.ts';
import type { ReviewDecision } from '../records/review-decisions.ts';

/** The reason of a rule against a version. */
export interface Hit {
  /** completes a sentence: `it is abandoned` */
  readonly because: string;
  /** when the reason ends by the clock, epoch milliseconds */
  readonly untilMs?: number;
  /** true: the release is held, until time or a person decides */
  readonly isHeld?: boolean;
}

/** undefined: nothing. */
export type VersionCondition = (version: VersionFacts, nowMs: number) => Hit | undefined;
export type PackageCondition = (facts: PackageFacts) => VersionCondition;

type VersionKind = Exclude<RuleKind, 'composer' | 'source'>;
type Maker<Kind extends VersionKind> = (rule: RuleOf<Kind>, decisions: DecisionsOf) => PackageCondition;

export function conditionOf(rule: VersionRule, decisions: DecisionsOf): PackageCondition {
  return makers[rule.rule](rule as never, decisions);
}

/** What people decided about the releases of a package, in this order. */
export type DecisionsOf = (name: string) => readonly ReviewDecision[];

const makers: { readonly [Kind in VersionKind]: Maker<Kind> } = {
  advisories: ({ severity = 'low', ignore = [] }) => {
    const least = severities.indexOf(severity);
    const ignored = new Set(ignore.map((id) => id.toLowerCase()));
    const counts = ({ id, aliases, severity: own }: AdvisoryFacts): boolean =>
      (own === null || !isSeverity(own) || severities.indexOf(own) >= least) &&
      ![id, ...aliases].some((one) => ignored.has(one.toLowerCase()));
    return ({ advisories }) => {
      const affecting = inRanges(advisories.filter(counts));
      return ({ normalized }) => {
        const found = affecting(normalized);
        if (found === undefined) return undefined;
        // a document without a title gives the id as the title
        const title = found.title === found.id ? '' : `: ${found.title}`;
        return { because: `${nameOf(found)} affects it${title}` };
      };
    };
  },
  filter: ({ lists }) => {
    const wanted = new Set(lists);
    return ({ entries, advisories }) => {
      const listed = inRanges([...entries, ...malwareIn(advisories)].filter(({ list }) => wanted.has(list)));
      return ({ normalized }) => {
        const found = listed(normalized);
        return found === undefined ? undefined : { because: `the list ${found.list} names it${reasonOf(found)}` };
      };
    };
  },
  age: ({ days, seconds = (days ?? 0) * 86_400, by = 'published-time' }) => {
    return () =>
      ({ releasedMs, publishedMs }, nowMs) => {
        const bornMs = by === 'time' ? releasedMs : (publishedMs ?? releasedMs);
        // a time that is missing proves no age
        if (bornMs === undefined) return { because: 'its release time is unknown, so its age cannot be checked' };
        const untilMs = bornMs + seconds * 1000;
        return untilMs <= nowMs
          ? undefined
          : { because: `it is younger than the minimum age, until ${new Date(untilMs).toISOString()}`, untilMs };
      };
  },
  license: ({ allow }) => {
    const isAllowed = licenseTest(allow);
    return () =>
      ({ licenses }) => {
        if (licenses === undefined) return { because: unknown('licence') };
        if (isAllowed(licenses)) return undefined;
        return {
          because: licenses.length === 0 ? 'it names no licence' : `its licence ${licenses.join(', ')} is not allowed`,
        };
      };
  },
  abandoned:
    () =>
    () =>
    ({ abandoned, type }) => {
      if (type === undefined) return { because: unknown('abandonment') }; // there is no record at all
      if (abandoned === false) return undefined;
      return { because: `it is abandoned${typeof abandoned === 'string' ? `; use ${abandoned} instead` : ''}` };
    },
  plugin: ({ allow }) => {
    const isAllowed = matchAnyName(allow);
    return ({ name }) => {
      const allowed = isAllowed(name);
      return ({ type }) => {
        if (allowed) return undefined;
        if (type === undefined) return { because: unknown('type') };
        return type === 'composer-plugin' || type === 'composer-installer'
          ? { because: 'it is a Composer plugin that is not allowed' }
          : undefined;
      };
    };
  },
  capability: (rule, decisionsOf) => {
    return ({ name, origin, gains }) => {
      const decisions = decisionsOf(name);
      const sinceMs = rule.since === undefined ? 0 : Date.parse(rule.since);
      let known: Gains | undefined;
      return ({ normalized, reference, dev, publishedMs = 0 }, nowMs) => {
        // what it keeps arrived with it or before; the comparison of all releases costs more than this look
        if (dev || (origin === 'private' && publishedMs < sinceMs && decisions.length === 0)) return undefined;
        known ??= gains();
        const isOther = known.get(normalized)?.release.reference !== reference;
        const own = isOther && decisions.findLast((one) => one.version === normalized && one.reference === reference);
        // the upstream has moved its tag, or the release is withdrawn: the decision is about the archive that is here
        if (own && own.decision === 'rejected') return { because: rejectionOf(own) };
        // nothing else is left of the record of a withdrawn archive
        if (origin === 'private' && isOther) {
          // what a person rejected holds later releases too, and nothing says whether this is one of them
          const days = decisions.some(({ decision }) => decision === 'rejected') ? undefined : rule.days;
          const untilMs = days === undefined ? undefined : publishedMs + days * 86_400_000;
          if (own || publishedMs < sinceMs || (untilMs ?? Number.POSITIVE_INFINITY) <= nowMs) return undefined;
          return {
            because: unknown('difference from the releases below'),
            ...(untilMs === undefined ? {} : { untilMs }),
          };
        }
        const hold = holdOf(rule, known, decisions, normalized, nowMs);
        if (hold === undefined) return undefined;
        const { because, untilMs, isRejected } = hold;
        return { because, isHeld: !isRejected, ...(untilMs === undefined ? {} : { untilMs }) };
      };
    };
  },
  required: ({ fields }) => {
    const wanted = new Set(fields);
    return ({ origin }) =>
      ({ licenses, readme, signedBy, dev }) => {
        if (origin === 'mirrored') return undefined;
        const missing = [
          ...(wanted.has('license') && licenses?.length === 0 ? ['a licence'] : []),
          ...(wanted.has('readme') && readme === false ? ['a README'] : []),
          ...(wanted.has('signed-tag') && !dev && signedBy === null ? ['a tag that is signed by a known key'] : []),
        ];
        const reasons = [
          ...(missing.length === 0 ? [] : [`it lacks ${missing.join(' and ')}`]),
          ...(wanted.has('license') && licenses === undefined ? [unknown('licence')] : []),
        ];
        return reasons.length === 0 ? undefined : { because: reasons.join(', and ') };
      };
  },
};

/** A withdrawal proves nothing: the archive may still be in a lock file. */
function unknown(fact: string): string {
  return `its ${fact} is unknown, since the version is no longer published`;
}

/** Finds the first of these whose constraint contains a version. A constraint that cannot be read contains none. */
function inRanges<Ranged extends { readonly constraint: string }>(
  all: readonly Ranged[],
): (normalized: string) => Ranged | undefined {
  const compiled = all.flatMap((one) => {
    const parsed = parseConstraint(one.constraint);
    return 'refusal' in parsed ? [] : [{ one, contains: compileConstraint(parsed.constraint) }];
  });
  return (normalized) => compiled.find(({ contains }) => contains(normalized as NormalizedVersion))?.one;
}

function isSeverity(text: string): text is (typeof severities)[number] {
  return (severities as readonly string[]).includes(text);
}

function nameOf({ id, aliases, severity }: AdvisoryFacts): string {
  const cve = aliases.find((alias) => alias.startsWith('CVE-'));
  const malware = [id, ...aliases].find(isMalwareId);
  if (malware !== undefined) return `the malware report ${malware}`;
  return `the advisory ${cve ?? id}${severity === null ? '' : ` (${severity})`}`;
}

function reasonOf({ reason }: ListEntry): string {
  return reason === null ? '' : ` (${reason})`;
}

// Decides whether the licences of a version are allowed. Pure.

/** `allowed`: SPDX identifiers, case-insensitive; a `*` at the end matches any characters. */
function licenseTest(allowed: readonly string[]): (stated: readonly string[]) => boolean {
  const wanted = allowed.map((text) => text.toLowerCase());
  const isWanted = (identifier: string): boolean =>
    wanted.some((text) => (text.endsWith('*') ? identifier.startsWith(text.slice(0, -1)) : identifier === text));
  // several licences of a package are a choice (composer.json schema, `license`)
  return (stated) => stated.some((expression) => holds(expression, isWanted));
}

/** `(A or B) and C`, in the syntax of composer.json: `and` binds stronger. An unreadable part is false. */
function holds(expression: string, isWanted: (identifier: string) => boolean): boolean {
  const tokens =
    expression
      .toLowerCase()
      .match(/[()]|[^\s()]+/g)
      ?.slice(0, 100) ?? [];
  let at = 0;
  const primary = (): boolean => {
    const token = tokens[at++];
    if (token !== '(') return token !== undefined && token !== ')' && isWanted(token);
    const inner = either();
    return tokens[at++] === ')' && inner;
  };
  const both = (): boolean => {
    let all = primary();
    while (tokens[at] === 'and') {
      at += 1;
      all = primary() && all;
    }
    return all;
  };
  function either(): boolean {
    let any = both();
    while (tokens[at] === 'or') {
      at += 1;
      any = both() || any;
    }
    return any;
  }
  return either() && at === tokens.length;
}
