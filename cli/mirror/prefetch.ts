// Fetches the configured packages of a Composer repository in advance: the documents, and the archives of all matching
// versions.

import pLimit from 'p-limit';

import { matches, parseConstraint } from '../../build/contract/constraint.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { Moment } from '../../proxy/core/protocol/mirrored-packages.ts';
import { readProviderDocument } from '../../proxy/core/documents/provider-document.ts';
import type { ComposerRepository } from './composer-repositories.ts';

export interface Prefetched {
  /** archives that were not here before */
  readonly fetched: readonly { readonly name: string; readonly version: string }[];
  /** the number of versions that were stored before */
  readonly here: number;
  /** a sentence for each package with missing versions */
  readonly failures: readonly string[];
}

/** Archives at a time. */
const parallel = 4;

export async function prefetch(
  mirror: Mirror,
  { packages }: Pick<ComposerRepository, 'packages'>,
  moment: () => Moment,
): Promise<Prefetched> {
  const limit = pLimit(parallel);
  const found: Prefetched[] = [];
  for (const [name, constraint] of Object.entries(packages))
    found.push(await bringPackage(mirror, name, constraint, moment, limit));
  return {
    fetched: found.flatMap(({ fetched }) => fetched),
    here: found.reduce((sum, { here }) => sum + here, 0),
    failures: found.flatMap(({ failures }) => failures),
  };
}

async function bringPackage(
  mirror: Mirror,
  given: string,
  constraint: string,
  moment: () => Moment,
  limit: ReturnType<typeof pLimit>,
): Promise<Prefetched> {
  const failed = (reason: string): Prefetched => ({ fetched: [], here: 0, failures: [`${given}: ${reason}`] });
  const name = parsePackageName(given);
  if (name === undefined) return failed('it is not a package name.');
  try {
    const belonging = await mirror.belongs(name, moment());
    if (belonging.to !== 'upstreams') return failed(`it is not mirrored: ${belonging.because}.`);
    const { versions, stale } = await versionsThatMatch(mirror, name, constraint, moment());
    if (versions.length === 0) return failed(stale ?? `no version that is offered matches ${constraint}.`);
    const brought = await Promise.all(
      versions.map((version) => limit(() => bringVersion(mirror, name, version, moment()))),
    );
    return {
      fetched: brought.flatMap(({ version, outcome }) => (outcome === 'fetched' ? [{ name, version }] : [])),
      here: brought.filter(({ outcome }) => outcome === 'here').length,
      failures: [
        ...(stale === undefined ? [] : [`${name}: ${stale}`]),
        ...brought.flatMap(({ failure }) => failure ?? []),
      ],
    };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

interface MatchingVersion {
  readonly version: string;
  readonly labels: readonly string[];
  readonly reference: string | undefined;
}

/** `stale`: the reason why the list of versions may be incomplete. */
async function versionsThatMatch(
  mirror: Mirror,
  name: PackageName,
  text: string,
  moment: Moment,
): Promise<{ readonly versions: readonly MatchingVersion[]; readonly stale: string | undefined }> {
  const parsed = parseConstraint(text);
  if ('refusal' in parsed) throw new Error(`${parsed.refusal}.`);
  const documents = [await mirror.document(name, 'stable', moment), await mirror.document(name, 'dev', moment)];
  const records: JsonObject[] = [];
  for (const mirrored of documents) {
    if (mirrored?.document === undefined) continue;
    for (const record of (await readProviderDocument(mirrored.document, name)).records) records.push(record);
  }
  const staleSinceMs = documents.find((mirrored) => mirrored?.staleSinceMs !== undefined)?.staleSinceMs;
  return {
    versions: records.flatMap(
      (record) => matchingVersionsOf(record, (normalized) => matches(parsed.constraint, normalized)) ?? [],
    ),
    stale:
      staleSinceMs === undefined
        ? undefined
        : `its repository cannot be reached; the document of ${new Date(staleSinceMs).toISOString()} is still served.`,
  };
}

function matchingVersionsOf(
  { version, dist }: JsonObject,
  isWanted: (normalized: NonNullable<ReturnType<typeof normalizeVersion>>) => boolean,
): MatchingVersion | undefined {
  const normalized = typeof version === 'string' ? normalizeVersion(version) : undefined;
  if (typeof version !== 'string' || normalized === undefined || !isWanted(normalized) || !isJsonObject(dist))
    return undefined;
  return {
    version,
    labels: [version, normalized],
    reference: typeof dist['reference'] === 'string' && dist['reference'] !== '' ? dist['reference'] : undefined,
  };
}

async function bringVersion(
  mirror: Mirror,
  name: PackageName,
  { version, labels, reference }: MatchingVersion,
  moment: Moment,
): Promise<{ readonly version: string; readonly outcome: 'here' | 'fetched' | undefined; readonly failure?: string }> {
  try {
    const outcome = await mirror.bring({ name, labels, reference }, moment);
    return outcome === undefined
      ? { version, outcome, failure: `${name} ${version}: its repository has no archive of it.` }
      : { version, outcome };
  } catch (error) {
    return {
      version,
      outcome: undefined,
      failure: `${name} ${version}: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
