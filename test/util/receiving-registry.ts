// A registry that receives trees, and the checkout of the CI job that builds them.

import { cpSync, rmSync } from 'node:fs';
import { build } from '../../build/build.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { receiveTree } from '../../build/receive/receive.ts';
import type { BuildRequest } from '../../build/scan/build-request.ts';
import { buildSeries, type BuildSeries } from './build-series.ts';
import { below, temporaryTree, type TemporaryTree } from './package-tree.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';
import { whoLibrary } from './who-library.ts';

export interface ReceivingRegistry extends AsyncDisposable {
  /** builds of the registry's own sources */
  readonly series: BuildSeries;
  /** the data folder of the registry */
  readonly data: string;
  readonly checkout: TemporaryTree;
  /** the parent of `made`, the data folder of the CI job, and of the copies of its tree */
  readonly folder: TemporaryFolder;
  /** Writes a version of a package into the checkout; undefined: a dev version. */
  readonly put: (version: string | undefined, who?: string, name?: string) => void;
  /** Builds everything anew from the checkout, as a CI job does, and copies the tree into the folder `into`. */
  readonly sent: (into?: string) => Promise<string>;
  /** Copies the last tree of the CI job. */
  readonly copied: (into: string) => string;
  readonly receive: (tree: string, more?: Partial<BuildRequest>, name?: string) => Promise<BuildReport>;
}

export function receivingRegistry(): ReceivingRegistry {
  const [series, checkout, folder] = [buildSeries(), temporaryTree(), temporaryFolder('received')];
  let minute = 0;
  const effects = () => ({
    now: () => new Date(Date.UTC(2027, 0, 1, 0, (minute += 1))),
    progress: () => undefined,
    environment: process.env,
  });
  const request = (data: string): BuildRequest => ({
    ...standardRequest,
    dataDirectory: data,
    baseDirectory: checkout.root,
  });
  const copied = (into: string): string => {
    rmSync(folder.at(into), { recursive: true, force: true });
    for (const part of ['public', 'index']) cpSync(folder.at('made', part), folder.at(into, part), { recursive: true });
    return folder.at(into);
  };
  return {
    series,
    data: series.data,
    checkout,
    folder,
    put: (version, who = 'a', name = 'acme/hello') =>
      checkout.write(below(`${name}/${version ?? 'head'}`, whoLibrary(name, version, {}, who))),
    sent: async (into = 'incoming') => {
      rmSync(folder.at('made'), { recursive: true, force: true });
      await build({ ...request(folder.at('made')), arguments: [checkout.root] }, effects());
      return copied(into);
    },
    copied,
    receive: (tree, more = {}, name = 'ci') =>
      receiveTree({ name, tree }, { ...request(series.data), ...more }, effects()),
    [Symbol.asyncDispose]: async () => {
      series.tree.remove();
      checkout.remove();
      await folder.remove();
    },
  };
}

const standardRequest: Omit<BuildRequest, 'dataDirectory' | 'baseDirectory'> = {
  arguments: [],
  configured: undefined,
  fallback: undefined,
  forget: [],
  strict: false,
  allowRepublish: false,
  jobs: 1,
  metadataUrl: '/p2/%package%$%hash%.json',
  distBaseUrl: undefined,
};
