// Finds the latest version of a package that people get: no rule of the policy blocks it, and it is no malware. The
// notice tells of a package without any.

import type { Child } from 'hono/jsx';
import type { PackageAdvisories } from '../../../../build/contract/advisory-lists.ts';
import { parseStability } from '../../../../build/contract/stability.ts';
import { latestOf } from '../../../packages/package-summary.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';
import type { Block, FindBlock, PackageStanding } from '../../../policy/admin/package-standing.ts';
import type { WithMalware } from '../../../usage/read-exposures.ts';
import { Notice } from '../../components/notice.tsx';
import { warningOf } from './advised-versions.ts';
import { malwareIn } from './concerns.tsx';

interface Known extends WithMalware {
  readonly advisories: PackageAdvisories;
}

/** Whether an advisory or a filter list says so. */
export function isMalware(known: Known, version: PublishedVersion): boolean {
  return malwareIn(known, version.entry.version) || warningOf(known.advisories, version) === 'malware';
}

/**
 * What every page calls the latest version: no rule blocks it, and it is no malware while there is another. undefined:
 * people get no version. `versions`: newest first.
 */
export function latestOffered(
  versions: readonly PublishedVersion[],
  blockOf: FindBlock,
  known: Known,
): PublishedVersion | undefined {
  const offered = versions.filter((one) => blockOf(one) === undefined);
  return latestOf(offered.filter((one) => !isMalware(known, one))) ?? latestOf(offered);
}

/** The same among the stored archives of a mirrored package. */
export function latestStored(
  stored: readonly PublishedVersion[],
  standing: PackageStanding | undefined,
): PublishedVersion | undefined {
  const withheld = standing?.versions.filter(({ state }) => ['malware', 'blocked', 'held'].includes(state)) ?? [];
  return latestOf(stored.filter(({ entry }) => withheld.every(({ version }) => version !== entry.version)));
}

/** Of a package of which people get no version. */
export function blockOfAll(versions: readonly PublishedVersion[], blockOf: FindBlock): Pick<Block, 'isHeld'> {
  return { isHeld: versions.every((version) => blockOf(version)?.isHeld) };
}

export interface ReleaseBlocks {
  /** the versions that no rule blocks, newest first */
  readonly offered: readonly PublishedVersion[];
  /** one for each rule, with its newest release, if every release is blocked; otherwise empty */
  readonly ofAllReleases: readonly (Block & { readonly version: string })[];
}

/** `versions`: newest first. Branches count where there is nothing else. */
export function blocksAmong(versions: readonly PublishedVersion[], blockOf: FindBlock): ReleaseBlocks {
  const released = versions.filter(({ entry }) => parseStability(entry.version_normalized) !== 'dev');
  const releases = released.length > 0 ? released : versions;
  const blocked = releases.flatMap((version) => {
    const block = blockOf(version);
    return block === undefined ? [] : [{ ...block, version: version.entry.version }];
  });
  const isFirst = (rule: string, at: number): boolean => blocked.findIndex((one) => one.rule === rule) === at;
  return {
    offered: versions.filter((version) => blockOf(version) === undefined),
    ofAllReleases: blocked.length < releases.length ? [] : blocked.filter(({ rule }, at) => isFirst(rule, at)),
  };
}

export function AllReleasesBlocked({ blocks: { ofAllReleases } }: { readonly blocks: ReleaseBlocks }): Child {
  if (ofAllReleases.length === 0) return null;
  return (
    <Notice kind="bad">
      <p>The policy blocks every release, so Composer does not find one.</p>
      {ofAllReleases.map(({ rule, version, because }) => (
        <p class="breaks">
          Rule <code>{rule}</code>: {version}, {because}.
        </p>
      ))}
    </Notice>
  );
}
