// Makes the report of a build. Pure.

import type { PackageResult, VersionOf } from '../package/package-stage.ts';
import type { BuildReport, VersionLine } from '../contract/build-report.ts';
import { reportNotices, type NoticeInputs } from './report-notices.ts';

export interface ReportInputs extends NoticeInputs {
  readonly serial: number;
  readonly published: boolean;
  /** milliseconds */
  readonly timings: {
    readonly scan: number;
    readonly archive: number;
    readonly publish: number;
    readonly total: number;
  };
}

export function makeReport(inputs: ReportInputs): BuildReport {
  const { scanned, packages, strictlyRefused } = inputs;
  const locations = new Map(scanned.map(({ chosen }) => [chosen.spec.id, chosen.spec.location]));
  const locate = (id: string): string => locations.get(id) ?? id;
  const lines = (pick: (result: PackageResult) => readonly VersionOf[]): readonly VersionLine[] =>
    strictlyRefused
      ? []
      : packages.results.flatMap((result) =>
          pick(result).map(({ version, source }) => ({ name: result.name, version, source: locate(source) })),
        );
  return {
    serial: inputs.serial,
    published: inputs.published,
    added: lines(({ added }) => added),
    changed: lines(({ changed }) => changed),
    withdrawn: lines(({ withdrawn }) => withdrawn),
    unchanged: unchangedVersions(packages.results),
    quarantined: packages.quarantined.map(({ source, quarantine }) => ({ source: locate(source), ...quarantine })),
    blocked: inputs.blocked.map(({ name, version, source, tombstone }) => ({
      name,
      version,
      source: locate(source),
      reason: tombstone.reason,
      purged_at: tombstone.since,
    })),
    failed: scanned.flatMap((source) =>
      source.outcome === 'failed' ? [{ source: source.chosen.spec.location, reason: source.reason }] : [],
    ),
    notices: reportNotices(inputs, locate),
    retained: strictlyRefused
      ? []
      : packages.results.flatMap(({ name, retained }) =>
          retained.map(({ version, source, reference }) => ({ name, version, source: locate(source), reference })),
        ),
    timings_ms: rounded(inputs.timings),
  };
}

function rounded({ scan, archive, publish, total }: ReportInputs['timings']): BuildReport['timings_ms'] {
  return {
    scan: Math.round(scan),
    archive: Math.round(archive),
    publish: Math.round(publish),
    total: Math.round(total),
  };
}

function unchangedVersions(results: readonly PackageResult[]): number {
  return results.reduce((sum, { published, added, changed }) => sum + published - added.length - changed.length, 0);
}

/** Milliseconds of each phase, from the moments between them. */
export function timingsOf([started, scanned, archived, ended]: readonly [
  number,
  number,
  number,
  number,
]): ReportInputs['timings'] {
  return { scan: scanned - started, archive: archived - scanned, publish: ended - archived, total: ended - started };
}
