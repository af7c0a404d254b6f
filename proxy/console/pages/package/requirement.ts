// What `composer require` names to install a package: `acme/hello:^2.4`, as Composer itself would write it, or
// `acme/hello:dev-main` where only branches are published. Pure.

import { parseStability } from '../../../../build/contract/stability.ts';
import { latestOf } from '../../../packages/package-summary.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';

/** `versions`: newest first; at least one. */
export function requirementOf(name: string, versions: readonly PublishedVersion[]): string {
  const latest = latestOf(versions);
  if (latest === undefined) return name;
  const stability = parseStability(latest.entry.version_normalized);
  if (stability === 'dev') return `${name}:${(defaultBranchOf(versions) ?? latest).entry.version}`;
  const caret = caretOf(latest.entry.version_normalized) ?? latest.entry.version;
  return `${name}:${caret}${stability === 'stable' ? '' : `@${stability}`}`;
}

function defaultBranchOf(versions: readonly PublishedVersion[]): PublishedVersion | undefined {
  return versions.find(({ record }) => record['default-branch'] === true);
}

/** `2.4.1.0` → `^2.4`, `0.3.1.0` → `^0.3.1`; undefined for a version without four numbers, such as a date. */
function caretOf(normalized: string): string | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)\.\d+(?:-|$)/.exec(normalized) ?? [];
  if (major === undefined) return undefined;
  return major === '0' ? `^0.${minor}.${patch}` : `^${major}.${minor}`;
}
