// The order in which test files start: the longest first, so that none of them runs alone at the end.

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than about eight seconds, the longest first. */
const longest: readonly string[] = [
  'test/fault/every-operation.test.ts',
  'test/e2e/console-pages.test.ts',
  'test/e2e/mirror.test.ts',
  'test/fault/full-disk.series.test.ts',
  'test/fault/redis-sentinel.series.test.ts',
  'test/fault/publish-crash.series.test.ts',
  'test/cli/workers.test.ts',
  'test/property/publications.test.ts',
  'test/property/hidden-packages.test.ts',
  'test/e2e/dev-versions.test.ts',
  'test/e2e/managed-repository.test.ts',
  'test/e2e/explorer.series.test.ts',
  'test/e2e/console-tokens.series.test.ts',
  'test/e2e/console-tasks.test.ts',
  'test/security/stalled-connections.series.test.ts',
  'test/security/idle-connections.test.ts',
  'test/http/manage/artifacts.test.ts',
];

/** A sequencer of Vitest. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

const root = new URL('../..', import.meta.url).pathname;

/** After all others for a file that is not among the longest. */
function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.indexOf(relative(root, moduleId));
  return rank === -1 ? longest.length : rank;
}
