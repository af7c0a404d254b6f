// What the policy leaves of the releases of a package, and the notice if nothing is left: nobody can install it then.

import type { Child } from 'hono/jsx';
import { parseStability } from '../../../../build/contract/stability.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';
import type { Block, FindBlock } from '../../../policy/admin/package-standing.ts';
import { Notice } from '../../components/notice.tsx';

export interface ReleaseBlocks {
  /** the versions that no rule blocks, newest first */
  readonly offered: readonly PublishedVersion[];
  /** one for each rule, with its newest release, if every release is blocked; otherwise empty */
  readonly ofAllReleases: readonly (Block & { readonly version: string })[];
  /** undefined: the latest version is offered */
  readonly ofLatest: Block | undefined;
}

/** `versions`: newest first. */
export function blocksAmong(
  versions: readonly PublishedVersion[],
  latest: PublishedVersion,
  blockOf: FindBlock,
): ReleaseBlocks {
  const blocks = new Map(versions.map((version) => [version, blockOf(version)]));
  const releases = versions.filter(({ entry }) => parseStability(entry.version_normalized) !== 'dev');
  const blocked = releases.flatMap((version) => {
    const block = blocks.get(version);
    return block === undefined ? [] : [{ ...block, version: version.entry.version }];
  });
  const isFirst = (rule: string, at: number): boolean => blocked.findIndex((one) => one.rule === rule) === at;
  return {
    offered: versions.filter((version) => blocks.get(version) === undefined),
    ofAllReleases: blocked.length < releases.length ? [] : blocked.filter(({ rule }, at) => isFirst(rule, at)),
    ofLatest: blockOf(latest),
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
