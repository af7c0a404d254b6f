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
import { createFindRemaining, type FindRemaining } from './remaining-versions.ts';

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
