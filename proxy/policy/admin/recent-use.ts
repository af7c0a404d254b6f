// How often each version of a package was used in the last 90 days: installs that Composer reported, or archives that
// were sent, whichever is more (see usage.ts).

import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import type { Downloads } from '../../packages/downloads.ts';

export const usedDays = 90;
const dayMs = 86_400_000;

export type RecentUse = ReturnType<typeof recentUse>;

export function sinceMs(nowMs: number): number {
  return nowMs - usedDays * dayMs;
}

type Counts = Pick<Downloads, 'daysOf' | 'totals'>;

export function recentUse(downloads: Counts, installs: Counts, now: () => number) {
  return {
    /** label of a version → its uses */
    of: async (name: string): Promise<ReadonlyMap<string, number>> => {
      const oldest = new Date(sinceMs(now())).toISOString().slice(0, 'YYYY-MM-DD'.length);
      const [sent, reported] = [await countsOf(downloads, name, oldest), await countsOf(installs, name, oldest)];
      return new Map(
        [...new Set([...sent.keys(), ...reported.keys()])].map((version) => [
          version,
          Math.max(sent.get(version) ?? 0, reported.get(version) ?? 0),
        ]),
      );
    },
    /** names of all packages that were ever used */
    names: async (): Promise<readonly PackageName[]> => {
      const used = new Set([...(await downloads.totals()).keys(), ...(await installs.totals()).keys()]);
      return [...used].flatMap((name) => parsePackageName(name) ?? []);
    },
  };
}

async function countsOf(counts: Counts, name: string, oldest: string): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number>();
  for (const { date, versions } of await counts.daysOf(name)) {
    if (date < oldest) continue;
    for (const [version, count] of versions) all.set(version, (all.get(version) ?? 0) + count);
  }
  return all;
}
