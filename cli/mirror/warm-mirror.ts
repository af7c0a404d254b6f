// Fetches the mirrored packages of lock files in advance: the documents, and the archives of every package in them.

import pLimit from 'p-limit';

import type { LockedPackage } from '../../build/inspect/impact.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { Moment } from '../../proxy/core/protocol/mirrored-packages.ts';

export interface Warmed {
  readonly name: string;
  readonly version: string;
  /** `not-mirrored`: private, or left out by the settings; `missing`: the upstream has no such version */
  readonly outcome: 'fetched' | 'here' | 'not-mirrored' | 'missing' | 'failed';
  /** for each version that is neither stored nor fetched: the reason */
  readonly reason: string | null;
}

const parallel = 8;

export async function warmMirror(
  mirror: Mirror,
  packages: readonly LockedPackage[],
  moment: () => Moment,
  onEach: (warmed: Warmed) => void,
): Promise<readonly Warmed[]> {
  const limit = pLimit(parallel);
  const wanted = [
    ...new Map(packages.map((one) => [JSON.stringify([one.name, one.version, one.reference]), one])).values(),
  ];
  return Promise.all(
    wanted.map((locked) =>
      limit(async () => {
        const warmed = await warm(mirror, locked, moment());
        onEach(warmed);
        return warmed;
      }),
    ),
  );
}

/** Requests the documents of a package. Returns what keeps it from being mirrored; null: nothing. */
export async function warmDocuments(mirror: Mirror, name: PackageName, moment: Moment): Promise<string | null> {
  try {
    const belonging = await mirror.belongs(name, moment);
    if (belonging.to !== 'upstreams') return `it is not mirrored: ${belonging.because}.`;
    const found = [await mirror.document(name, 'stable', moment), await mirror.document(name, 'dev', moment)];
    if (found.some((one) => one?.staleSinceMs !== undefined)) return 'its upstream cannot be asked now.';
    return found.some((one) => one?.document !== undefined) ? null : 'no upstream has it.';
  } catch (error) {
    return messageOf(error);
  }
}

async function warm(
  mirror: Mirror,
  { name: given, version, reference }: LockedPackage,
  moment: Moment,
): Promise<Warmed> {
  const of = (outcome: Warmed['outcome'], reason: string | null): Warmed => ({ name: given, version, outcome, reason });
  const name: PackageName | undefined = parsePackageName(given.toLowerCase());
  if (name === undefined) return of('not-mirrored', 'it is not a package name');
  try {
    const belonging = await mirror.belongs(name, moment);
    if (belonging.to !== 'upstreams') return of('not-mirrored', belonging.because);
    await Promise.all([mirror.document(name, 'stable', moment), mirror.document(name, 'dev', moment)]);
    const brought = await mirror.bring({ name, labels: [version], reference: reference ?? undefined }, moment);
    return brought === undefined
      ? of('missing', 'its upstream has no such version, or no archive with this reference')
      : of(brought, null);
  } catch (error) {
    return of('failed', messageOf(error));
  }
}
