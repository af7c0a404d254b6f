// Runs builds one after the other into one data folder, each ten seconds after the last, so that no two times are equal
// by chance. The builds may withdraw any number of versions; the guard against that has tests of its own.

import { build } from '../../build/build.ts';
import type { BuildEffects, BuildRequest } from '../../build/scan/build-request.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { temporaryTree, type TemporaryTree } from './package-tree.ts';

export interface BuildSeries {
  /** the folder of the sources and of the data folder */
  readonly tree: TemporaryTree;
  readonly data: string;
  /** the request of a build with these fields */
  readonly request: (request: Partial<BuildRequest>) => BuildRequest;
  /** the effects of the next build, or of another operation */
  readonly effects: (environment?: Readonly<Record<string, string | undefined>>) => BuildEffects;
  readonly run: (
    request: Partial<BuildRequest>,
    environment?: Readonly<Record<string, string | undefined>>,
  ) => Promise<BuildReport>;
}

export function buildSeries(): BuildSeries {
  const tree = temporaryTree();
  const data = tree.path('data');
  let seconds = Date.UTC(2026, 0, 1) / 1000;
  const standard: BuildRequest = {
    dataDirectory: data,
    baseDirectory: tree.root,
    arguments: [],
    configured: undefined,
    fallback: undefined,
    forget: [],
    strict: false,
    allowRepublish: false,
    allowWithdraw: true,
    jobs: 1,
    metadataUrl: '/p2/%package%$%hash%.json',
    distBaseUrl: undefined,
  };
  const effects = (environment: BuildEffects['environment'] = { PATH: process.env['PATH'] }): BuildEffects => ({
    now: () => new Date((seconds += 10) * 1000),
    progress: () => undefined,
    environment,
  });
  return {
    tree,
    data,
    request: (request) => ({ ...standard, ...request }),
    effects,
    run: (request, environment) => build({ ...standard, ...request }, effects(environment)),
  };
}
