// What the withdrawal of a version would break: the published packages that require it, and whether another version
// satisfies them. Reads the documents of one dependent after the other, so that requests are answered in between.

import { RegistryError } from '../../build/contract/errors.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { createSemaphore } from '../../build/shared/concurrency/semaphore.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { providersOf, type Catalogue } from '../packages/catalogue.ts';
import { linksOf } from '../packages/package-summary.ts';
import {
  findVersion,
  readPublishedPackage,
  readVersions,
  type PublishedVersion,
} from '../packages/published-package.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { matches, parseConstraint } from '../../build/contract/constraint.ts';
import type { Constraint } from '../../build/contract/constraint-model.ts';
import { isJsonObject } from '../../build/contract/json.ts';
import { parseStability, type Stability } from '../../build/contract/stability.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';

/** Versions of a package that require the withdrawn version by the same constraint. */
export interface AffectedVersions {
  readonly name: string;
  /** newest first */
  readonly versions: readonly string[];
  readonly constraint: string;
  /** the newest other version that satisfies the constraint and is at least as stable; null: they no longer resolve */
  readonly otherwise: string | null;
}

/** Locks are not here: an archive stays, so existing lock files install it. */
export interface WithdrawalImpact {
  readonly name: string;
  readonly version: string;
  /** the number of published versions that the package keeps */
  readonly left: number;
  /** sorted by name; only published packages of this registry */
  readonly affected: readonly AffectedVersions[];
  /** packages that provide or replace this one, and may satisfy a constraint in its place */
  readonly providers: readonly string[];
  /** dependents whose documents are damaged, and which may be affected too */
  readonly unreadable: readonly string[];
  /** the number of further dependents that were not examined */
  readonly not_examined: number;
}

export interface ImpactReader {
  /** `version`: as published, or normalized. Throws RegistryError: NOT_FOUND, OVERLOADED, or TREE_DAMAGED. */
  readonly read: (name: PackageName, version: string) => Promise<WithdrawalImpact>;
}

export interface ImpactParts {
  readonly catalogue: Catalogue;
  readonly published: PublishedFiles;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** More dependents take longer than a person waits. */
const mostExamined = 5000;
const mostWaiting = 10;

export function createImpactReader(parts: ImpactParts): ImpactReader {
  const oneAtATime = createSemaphore({ inside: 1, waiting: mostWaiting });
  const running = new SingleFlight<WithdrawalImpact>();
  return {
    read: (name, version) =>
      running.run(`${name} ${version}`, async () => {
        const done = oneAtATime(() => readImpact(parts, name, version));
        if (done === undefined) throw new RegistryError('OVERLOADED', { details: { retry_after_seconds: 10 } });
        return done;
      }),
  };
}

async function readImpact(
  { catalogue, published, now }: ImpactParts,
  name: PackageName,
  wanted: string,
): Promise<WithdrawalImpact> {
  const versions = await readPublishedPackage(published, name);
  const withdrawn = findVersion(versions, wanted);
  if (withdrawn === undefined)
    throw new RegistryError('NOT_FOUND', { message: `${name} ${wanted.slice(0, 200)} is not published here.` });
  const others = versions.filter((one) => one !== withdrawn);
  const packages = await catalogue.read(now());
  const dependents = packages.dependentsOf(name);
  const examined = dependents.slice(0, mostExamined);
  const [affected, unreadable]: [AffectedVersions[], string[]] = [[], []];
  const findRemaining = createFindRemaining(withdrawn, others);
  for (const dependent of examined) {
    const read = await readVersions(published, dependent).catch(() => undefined);
    if (read === undefined || read.faults.length > 0) unreadable.push(dependent);
    affected.push(...affectedVersions(dependent, read?.versions ?? [], name, findRemaining));
  }
  return {
    name,
    version: withdrawn.entry.version,
    left: others.length,
    affected,
    providers: providersOf(packages, name).map((summary) => summary.name),
    unreadable,
    not_examined: dependents.length - examined.length,
  };
}

function affectedVersions(
  dependent: PackageName,
  versions: readonly PublishedVersion[],
  name: PackageName,
  findRemaining: FindRemaining,
): readonly AffectedVersions[] {
  const byConstraint = new Map<string, { readonly versions: string[]; readonly otherwise: string | null }>();
  for (const { entry, record } of versions) {
    for (const [required, text] of Object.entries(linksOf(record, 'require'))) {
      if (required.toLowerCase() !== name) continue;
      const constraint = text === 'self.version' ? entry.version : text;
      const remaining = findRemaining(constraint);
      if (remaining === undefined) continue;
      const known = byConstraint.get(constraint) ?? { versions: [], otherwise: remaining.otherwise };
      byConstraint.set(constraint, known);
      known.versions.push(entry.version);
    }
  }
  return [...byConstraint].map(([constraint, found]) => ({ name: dependent, constraint, ...found }));
}

// Whether a constraint that a withdrawn version satisfies is satisfied by another version. Pure.

/** A published version under its own number and under its branch alias. */
interface Candidate {
  readonly label: string;
  readonly stability: Stability;
  readonly numbers: readonly NormalizedVersion[];
}

interface Remaining {
  /** the newest other version that satisfies the constraint and is at least as stable; null: none */
  readonly otherwise: string | null;
}

/** undefined: the withdrawn version does not satisfy the constraint, so nothing changes for its dependents. */
type FindRemaining = (constraint: string) => Remaining | undefined;

const order: readonly Stability[] = ['stable', 'RC', 'beta', 'alpha', 'dev'];

/** `others`: the other published versions of its package, newest first. */
function createFindRemaining(withdrawn: PublishedVersion, others: readonly PublishedVersion[]): FindRemaining {
  const gone = candidateOf(withdrawn);
  const rest = others
    .map(candidateOf)
    .filter(({ stability }) => order.indexOf(stability) <= order.indexOf(gone.stability));
  const known = new Map<string, Remaining | undefined>();
  return (text) => {
    if (!known.has(text)) known.set(text, find(text, gone, rest));
    return known.get(text);
  };
}

function find(text: string, gone: Candidate, rest: readonly Candidate[]): Remaining | undefined {
  const parsed = parseConstraint(text);
  if ('refusal' in parsed || !satisfies(gone, parsed.constraint)) return undefined;
  return { otherwise: rest.find((one) => satisfies(one, parsed.constraint))?.label ?? null };
}

function satisfies({ numbers }: Candidate, constraint: Constraint): boolean {
  return numbers.some((number) => matches(constraint, number));
}

function candidateOf({ entry: { version, version_normalized: normalized }, record }: PublishedVersion): Candidate {
  const extra = isJsonObject(record['extra']) ? record['extra'] : {};
  const aliases = isJsonObject(extra['branch-alias']) ? extra['branch-alias'] : {};
  const alias = aliases[version];
  const aliased = typeof alias === 'string' ? normalizeVersion(alias) : undefined;
  return {
    label: version,
    stability: parseStability(normalized),
    numbers: [normalized as NormalizedVersion, ...(aliased === undefined ? [] : [aliased])],
  };
}
