// Gathers what a build found into its report, pure.

import { ambiguityNotices } from './ambiguity-notices.ts';
import { unusedPatternNotices } from './unused-patterns.ts';
import type { PackageResult, VersionOf } from '../package/package-stage.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import { isEmptyChange } from '../output/publication.ts';
import { blockedNotice, type BlockedFinding } from '../package/blocked-findings.ts';
import type { BuildReport, VersionLine } from '../contract/build-report.ts';
import type { ScannedSource } from '../scan/scan.ts';
import type { SourceChoice } from '../scan/choose-sources.ts';

export interface ReportInputs {
  readonly scanned: readonly ScannedSource[];
  readonly choice: SourceChoice;
  /** what sources found while their versions were archived */
  readonly remarks: BuildReport['notices'];
  readonly tree: Pick<TreeMemory, 'damage' | 'interrupted'>;
  readonly packages: PackagesOutcome;
  readonly blocked: readonly BlockedFinding[];
  /** `--strict` kept everything from being published */
  readonly strictlyRefused: boolean;
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
  const unchanged = packages.results.reduce(
    (sum, { published, added, changed }) => sum + published - added.length - changed.length,
    0,
  );
  return {
    serial: inputs.serial,
    published: inputs.published,
    added: lines(({ added }) => added),
    changed: lines(({ changed }) => changed),
    withdrawn: lines(({ withdrawn }) => withdrawn),
    unchanged,
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
    notices: [
      ...treeNotices(inputs),
      ...inputs.choice.notices,
      ...unusedPatternNotices(scanned),
      ...scanned.flatMap(({ chosen, damage }) =>
        damage === undefined ? [] : [{ source: chosen.spec.location, message: damage }],
      ),
      ...scanned.flatMap((source) =>
        source.outcome === 'read'
          ? source.notices.map((message) => ({ source: source.chosen.spec.location, message }))
          : [],
      ),
      ...inputs.blocked.map((finding) => ({ source: locate(finding.source), message: blockedNotice(finding) })),
      ...ambiguityNotices(scanned, packages.results),
      ...inputs.remarks,
      ...packages.results.flatMap(({ notices }) =>
        notices.map(({ source, message }) => ({ source: locate(source), message })),
      ),
    ],
    retained: strictlyRefused
      ? []
      : packages.results.flatMap(({ name, retained }) =>
          retained.map(({ version, source, reference }) => ({ name, version, source: locate(source), reference })),
        ),
    timings_ms: {
      scan: Math.round(inputs.timings.scan),
      archive: Math.round(inputs.timings.archive),
      publish: Math.round(inputs.timings.publish),
      total: Math.round(inputs.timings.total),
    },
  };
}

/** What a completed publication put in place was decided by the build that was cut off, whose report nobody got. */
function treeNotices({ tree, packages, strictlyRefused }: ReportInputs): BuildReport['notices'] {
  const source = 'data folder';
  const completed = packages.results.filter(({ changes }) => !isEmptyChange(changes)).map(({ name }) => name);
  const completes = `The build before this one was cut off while it published; this one completes it${completed.length === 0 ? '' : `: ${completed.join(', ')}`}.`;
  return [
    ...tree.damage.map((message) => ({ source, message })),
    ...(tree.interrupted && !strictlyRefused ? [{ source, message: completes }] : []),
  ];
}
