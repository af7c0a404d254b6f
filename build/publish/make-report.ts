// Makes the report of a build. Pure.

import type { PackageResult, VersionOf } from '../package/package-stage.ts';
import { type BuildReport, type VersionLine, dataFolder } from '../contract/build-report.ts';
import { isEmptyChange } from '../output/publication.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import { blockedNotice, type BlockedFinding } from '../package/blocked-findings.ts';
import type { SourceChoice } from '../scan/choose-sources.ts';
import { isRead, type ReadSource, type ScannedSource } from '../scan/scan.ts';
import { patternsOf } from '../sources/options.ts';
import { listShortly } from '../shared/text/list-shortly.ts';

type Notices = BuildReport['notices'];

interface NoticeInputs {
  readonly scanned: readonly ScannedSource[];
  readonly choice: SourceChoice;
  /** findings of sources while their versions were archived */
  readonly remarks: BuildReport['notices'];
  readonly tree: Pick<TreeMemory, 'damage' | 'interrupted'>;
  readonly packages: PackagesOutcome;
  readonly blocked: readonly BlockedFinding[];
  /** true if `--strict` prevented the publication */
  readonly strictlyRefused: boolean;
}

/** `locate`: id of a source → its location */
function reportNotices(inputs: NoticeInputs, locate: (id: string) => string): Notices {
  const { scanned, packages } = inputs;
  return [
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
    ...(inputs.strictlyRefused ? [] : replacedVersionNotices(scanned, packages.results)),
    ...inputs.remarks,
    ...packages.results.flatMap(({ notices }) =>
      notices.map(({ source, message }) => ({ source: locate(source), message })),
    ),
  ];
}

/** Reports the completed publication of an interrupted build, because that build printed no report. */
function treeNotices({ tree, packages, strictlyRefused }: NoticeInputs): Notices {
  const source = dataFolder;
  const completed = packages.results.filter(({ changes }) => !isEmptyChange(changes)).map(({ name }) => name);
  const which = completed.length === 0 ? '' : `: ${completed.join(', ')}`;
  const completes = `The previous build was interrupted while it published. This build completes the publication${which}.`;
  return [
    ...tree.damage.map((message) => ({ source, message })),
    ...(tree.interrupted && !strictlyRefused ? [{ source, message: completes }] : []),
  ];
}

/**
 * A line for each source and its idle patterns: name patterns of libretto.json that match no package, most likely
 * mistyped. Sources may share a pattern: one that another source uses, or may use, is not idle.
 */
function unusedPatternNotices(scanned: readonly ScannedSource[]): Notices {
  const reported = new Set<string>();
  const isIdle = (pattern: string): boolean =>
    scanned.every(
      (source) =>
        !patternsOf(source.chosen.options).includes(pattern) || (isRead(source) && source.idle.includes(pattern)),
    );
  return scanned.filter(isRead).flatMap(({ chosen, idle }: ReadSource) => {
    const mine = idle.filter((pattern) => !reported.has(pattern) && isIdle(pattern));
    for (const pattern of mine) reported.add(pattern);
    return mine.length === 0
      ? []
      : [
          {
            source: chosen.spec.location,
            message: `libretto.json limits it by ${mine.join(', ')}, but it has no such package.`,
          },
        ];
  });
}

// Writes the notices about versions that stay published although their source no longer has them. Some part of the
// source is unreadable, so the build cannot tell which package or version the part is. Until then it withdraws nothing.
// Pure.

const maxNamed = 3;

/** A line for each source that holds such versions. */
function ambiguityNotices(
  scanned: readonly ScannedSource[],
  results: readonly PackageResult[],
): readonly { readonly source: string; readonly message: string }[] {
  const ambiguousVersions = new Map<string, string[]>();
  for (const { name, ambiguous } of results) {
    for (const { source, version } of ambiguous) {
      const known = ambiguousVersions.get(source) ?? [];
      known.push(`${name} ${version}`);
      ambiguousVersions.set(source, known);
    }
  }
  return scanned.filter(isRead).flatMap(({ chosen, quarantined }) => {
    const versions = ambiguousVersions.get(chosen.spec.id);
    if (versions === undefined) return [];
    const causes = [
      ...new Set(
        quarantined.filter(({ name, version }) => name === null || version === null).map(({ where }) => where),
      ),
    ];
    const [stay, are] = versions.length === 1 ? ['stays', 'is'] : ['stay', 'are'];
    return [
      {
        source: chosen.spec.location,
        message:
          `${someOf(versions)} ${are} no longer found and ${stay} published: nothing is withdrawn while the ` +
          `package or version of ${someOf(causes)} is unknown. Correct or remove it. The next build ` +
          `then withdraws the missing versions.`,
      },
    ];
  });
}

function someOf(items: readonly string[]): string {
  return items.length <= maxNamed
    ? items.join(', ')
    : `${items.slice(0, maxNamed).join(', ')} and ${items.length - maxNamed} more`;
}

// Writes the notices about folders whose package got another version. A folder has one version of a package, so the
// former one is no longer offered, which people do not expect of a release. Pure.

/** A line for each folder with such packages. */
function replacedVersionNotices(
  scanned: readonly ScannedSource[],
  results: readonly PackageResult[],
): BuildReport['notices'] {
  const folders = scanned.filter(({ chosen }) => chosen.spec.place.kind === 'directory');
  return folders.flatMap(({ chosen: { spec } }) => {
    const ofThis = ({ source }: VersionOf): boolean => source === spec.id;
    const replaced = results.flatMap(({ name, added, withdrawn }) => {
      const [next, former] = [added.find(ofThis), withdrawn.find(ofThis)];
      return next === undefined || former === undefined ? [] : [`${name} ${next.version} replaces ${former.version}`];
    });
    if (replaced.length === 0) return [];
    const message =
      `${listShortly(replaced)}. A folder has one version of a package. To offer older releases too, publish the tags ` +
      'of a git repository, or upload each release with `libretto publish`. Lock files keep their archives.';
    return [{ source: spec.location, message }];
  });
}

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
