// Finds what a policy says without effect: rules that can never match, exceptions that cover nothing, and names that
// the registry does not know. These are remarks and no faults, because a package or a list may come later. Pure.

import { matchesPattern } from '../../../build/shared/patterns/package-pattern.ts';
import { mayOverlap } from '../../core/views/pattern-overlap.ts';
import type { PolicyIssue } from './parse-policy.ts';
import { endOfException, type PolicyDocument, type PolicyException, type Rule } from './policy-document.ts';
import { isEmptyConstraint } from './empty-constraint.ts';

/** What the registry knows. */
export interface RegistryNames {
  /** epoch milliseconds */
  readonly nowMs: number;
  /** packages that are published here, in lower case */
  readonly privatePackages: readonly string[];
  /** mirrored packages with a document or an archive here, in lower case */
  readonly mirroredPackages: readonly string[];
  /** id → its status */
  readonly tokens: ReadonlyMap<string, 'active' | 'expired' | 'revoked'>;
  /** names of filter lists */
  readonly lists: ReadonlySet<string>;
  /** the rules that settings describe */
  readonly ofSettings: readonly Rule[];
}

/** The known names, arranged for comparisons. */
interface Known extends RegistryNames {
  readonly matched: Readonly<Record<'private' | 'mirrored' | 'both', MatchedNames>>;
}

export function unmatchableRules({ rules, exceptions }: PolicyDocument, names: RegistryNames): readonly PolicyIssue[] {
  const { privatePackages, mirroredPackages } = names;
  const matched = {
    private: new MatchedNames(privatePackages),
    mirrored: new MatchedNames(mirroredPackages),
    both: new MatchedNames([...privatePackages, ...mirroredPackages]),
  };
  const known: Known = { ...names, matched };
  return [
    ...rules.flatMap((rule, at) => remarksOnRule(rule, `rules[${at}]`, known)),
    ...exceptions.flatMap((exception, at) =>
      remarksOnException(exception, `exceptions[${at}]`, [...known.ofSettings, ...rules], known),
    ),
  ];
}

interface Scope {
  readonly packages: readonly string[] | undefined;
  readonly except: readonly string[];
  readonly origin: 'private' | 'mirrored' | undefined;
}

function scopeOf(rule: Rule): Scope {
  return {
    packages: 'packages' in rule ? rule.packages : undefined,
    except: ('except' in rule ? rule.except : undefined) ?? [],
    origin: rule.rule === 'required' || rule.rule === 'source' ? 'private' : 'origin' in rule ? rule.origin : undefined,
  };
}

function remarksOnRule(rule: Rule, path: string, known: Known): readonly PolicyIssue[] {
  const scope = scopeOf(rule);
  return [
    ...coveredByExcept(scope, path),
    ...unmatched(scope.packages ?? [], `${path}.packages`, scope, known),
    ...unknownTokens(rule.tokens ?? [], `${path}.tokens`, known),
    ...remarksOnKind(rule, path, known),
    ...remarksOnArchives(rule, path),
  ];
}

/** Every name has a slash, and so `*` and this pattern match the same names. */
const everyName = '*/*';

/** True if each name that `pattern` matches matches one of `others` too: proven, and not always found. */
function isCovered(pattern: string, others: readonly string[]): boolean {
  // a star in the one can only be matched by a star in the other
  return others.some((other) => matchesPattern(other.toLowerCase(), pattern.toLowerCase()));
}

function coveredByExcept({ packages = [everyName], except }: Scope, path: string): readonly PolicyIssue[] {
  return packages.every((pattern) => isCovered(pattern === '*' ? everyName : pattern, except))
    ? [{ path: `${path}.except`, message: 'covers all packages of the rule, so the rule never matches' }]
    : [];
}

/** A rule may look at packages of one origin only: then a package of the other one does not count. */
function unmatched(
  patterns: readonly string[],
  path: string,
  { origin }: Pick<Scope, 'origin'>,
  { matched }: Known,
): readonly PolicyIssue[] {
  const names = matched[origin ?? 'both'];
  const what = origin === undefined ? 'package' : `${origin} package`;
  const limit = origin === undefined ? '' : `, and the rule looks at ${origin} packages only`;
  return patterns.flatMap((pattern, at) =>
    names.has(pattern)
      ? []
      : [{ path: `${path}[${at}]`, message: `${pattern} matches no ${what} that this registry has now${limit}` }],
  );
}

function unknownTokens(ids: readonly string[], path: string, { tokens }: Known): readonly PolicyIssue[] {
  return ids.flatMap((id, at) => {
    const status = tokens.get(id);
    if (status === 'active') return [];
    const message = status === undefined ? `no token has the id ${id}` : `the token ${id} is ${status}`;
    return [{ path: `${path}[${at}]`, message }];
  });
}

function remarksOnKind(rule: Rule, path: string, { lists }: Known): readonly PolicyIssue[] {
  if (rule.rule === 'filter')
    return rule.lists.flatMap((list, at) =>
      lists.has(list)
        ? []
        : [
            {
              path: `${path}.lists[${at}]`,
              message: `no list ${list} is known: libretto.json, feeds and stored documents of upstreams have none`,
            },
          ],
    );
  if (rule.rule === 'plugin' && rule.allow.some((pattern) => isCovered(everyName, [pattern])))
    return [{ path: `${path}.allow`, message: 'allows every package, so the rule never matches' }];
  if (rule.rule === 'composer' && isEmptyConstraint(rule.versions))
    return [{ path: `${path}.versions`, message: 'no version can satisfy this: the rule concerns every Composer' }];
  return [];
}

function remarksOnArchives(rule: Rule, path: string): readonly PolicyIssue[] {
  if (!('archives' in rule) || rule.archives === undefined) return [];
  if (rule.action !== 'block')
    return [
      { path: `${path}.archives`, message: `has no effect: a rule with the action ${rule.action} refuses nothing` },
    ];
  const isPrivate = scopeOf(rule).origin === 'private';
  return isPrivate && rule.archives === 'serve'
    ? [
        {
          path: `${path}.archives`,
          message: 'archives of private packages are always here, so the rule refuses none of them',
        },
      ]
    : [];
}

function remarksOnException(
  { rule: name, packages, versions, ...exception }: PolicyException,
  path: string,
  rules: readonly Rule[],
  known: Known,
): readonly PolicyIssue[] {
  const rule = rules.find((one) => one.name === name);
  const isOver = endOfException(exception) <= known.nowMs;
  return [
    ...(isOver ? [{ path: `${path}.until`, message: `it ended on ${exception.until}. Remove it, or renew it` }] : []),
    ...(rule === undefined
      ? [{ path: `${path}.rule`, message: `the setting ${name} describes no rule now, so there is nothing to except` }]
      : outsideOfRule(packages, scopeOf(rule), path, name, known)),
    ...(versions !== undefined && isEmptyConstraint(versions)
      ? [{ path: `${path}.versions`, message: 'no version can satisfy this, so the exception covers nothing' }]
      : []),
  ];
}

/** Packages of an exception that its rule does not concern anyway, and those that are not known. */
function outsideOfRule(
  patterns: readonly string[],
  scope: Scope,
  path: string,
  name: string,
  known: Known,
): readonly PolicyIssue[] {
  const of = scope.packages ?? [everyName];
  const isOutside = (pattern: string): boolean =>
    isCovered(pattern === '*' ? everyName : pattern, scope.except) ||
    !of.some((one) => mayOverlap(pattern.toLowerCase(), one.toLowerCase()));
  if (patterns.every(isOutside))
    return [{ path: `${path}.packages`, message: `the rule ${name} concerns none of these packages` }];
  return unmatched(patterns, `${path}.packages`, scope, known);
}

// Finds out whether patterns match any known package. A policy may have a hundred thousand patterns and a registry ten
// thousand packages, so a pattern is compared with the names of its vendor only, and there is an end. Pure.

/** This number takes some tens of milliseconds. */
const mostComparisons = 1_000_000;

class MatchedNames {
  readonly #names: readonly string[];
  readonly #byVendor: ReadonlyMap<string, readonly string[]>;
  #left = mostComparisons;

  /** `names`: in lower case */
  constructor(names: readonly string[]) {
    this.#names = names;
    const byVendor = new Map<string, string[]>();
    for (const name of names) {
      const vendor = vendorOf(name);
      const known = byVendor.get(vendor);
      if (known === undefined) byVendor.set(vendor, [name]);
      else known.push(name);
    }
    this.#byVendor = byVendor;
  }

  /** False: no known name matches. True: one does, or there were too many comparisons to tell. */
  has(pattern: string): boolean {
    const lower = pattern.toLowerCase();
    const vendor = vendorOf(lower);
    const names = vendor.includes('*') ? this.#names : (this.#byVendor.get(vendor) ?? []);
    if (this.#left < names.length) return true;
    this.#left -= names.length;
    return names.some((name) => matchesPattern(lower, name));
  }
}

/** Of a name or a pattern; `*` alone has a vendor with a star, too. */
function vendorOf(name: string): string {
  const slash = name.indexOf('/');
  return slash < 0 ? name : name.slice(0, slash);
}
