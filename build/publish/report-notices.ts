// The notices of a build's report, in their order: of the data folder, of the choice of sources, of each source, of
// packages. Pure.

import { ambiguityNotices } from './ambiguity-notices.ts';
import { replacedVersionNotices } from './replaced-version-notices.ts';
import { dataFolder, type BuildReport } from '../contract/build-report.ts';
import { isEmptyChange } from '../output/publication.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import { blockedNotice, type BlockedFinding } from '../package/blocked-findings.ts';
import type { SourceChoice } from '../scan/choose-sources.ts';
import { isRead, type ReadSource, type ScannedSource } from '../scan/scan.ts';
import { patternsOf } from '../sources/options.ts';

type Notices = BuildReport['notices'];

export interface NoticeInputs {
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
export function reportNotices(inputs: NoticeInputs, locate: (id: string) => string): Notices {
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
