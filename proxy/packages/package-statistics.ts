// The downloads and installs of one package, as the management API and the command line show them.

import type { DownloadDay, Downloads } from './downloads.ts';
import type { StatisticsDocument } from './package-schema.ts';

/** The counts of one package. */
export interface PackageStatistics {
  /** number of all downloads */
  readonly total: number;
  /** oldest first */
  readonly days: readonly DownloadDay[];
}

/** Days from `since` on, `2026-01-31`. */
export async function readStatistics(counts: Downloads, name: string, since: string): Promise<PackageStatistics> {
  const [total, days] = await Promise.all([counts.totalOf(name), counts.daysOf(name)]);
  return { total, days: days.filter(({ date }) => date >= since) };
}

/** The counts of these versions only, their total included. */
export function statisticsOf(
  { days }: PackageStatistics,
  versions: ReadonlySet<string>,
  total: number,
): PackageStatistics {
  const left = days
    .map(({ date, versions: counts }) => ({
      date,
      versions: new Map([...counts].filter(([version]) => versions.has(version))),
    }))
    .filter((day) => day.versions.size > 0);
  return { total, days: left };
}

export function showStatistics(downloads: PackageStatistics, installs: PackageStatistics): StatisticsDocument {
  return {
    total: downloads.total,
    versions: versionsOf(downloads.days),
    days: downloads.days.map((day) => ({
      date: day.date,
      downloads: sumOf(day),
      versions: Object.fromEntries(day.versions),
    })),
    installs: {
      total: installs.total,
      versions: versionsOf(installs.days),
      days: installs.days.map((day) => ({
        date: day.date,
        installs: sumOf(day),
        versions: Object.fromEntries(day.versions),
      })),
    },
  };
}

function versionsOf(days: readonly DownloadDay[]): Record<string, number> {
  const versions = new Map<string, number>();
  for (const day of days)
    for (const [label, count] of day.versions) versions.set(label, (versions.get(label) ?? 0) + count);
  return Object.fromEntries(versions);
}

function sumOf({ versions }: DownloadDay): number {
  return [...versions.values()].reduce((sum, count) => sum + count, 0);
}
