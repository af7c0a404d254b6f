// A registry that the shipped program built, with what a server knows of it for its pages.

import { loadConfig } from '../../cli/config/config.ts';
import { serverEnvironment } from '../../cli/inspection/server-environment.ts';
import { composeInspection } from '../../cli/inspection/inspection.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import { createCatalogue } from '../../proxy/packages/catalogue.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { BuildRunner } from '../../proxy/sync/build-runner.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createLocalPublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { temporaryTree, type Tree, type TemporaryTree } from './package-tree.ts';
import { builderOf } from './builder.ts';
import { contentsWorker } from './package-services.ts';
import { cleanEnvironment, runCli, type CliOutcome } from './run-cli.ts';

export interface InspectedRegistry {
  /** the folder `packages` is the source, the folder `data` is the data folder */
  readonly tree: TemporaryTree;
  readonly inspection: Inspection;
  /** with the audit log of the inspection; the program has a state of its own */
  readonly state: StateStore;
  readonly runner: BuildRunner;
  /** Runs a command of the program on this registry. */
  readonly run: (...args: readonly string[]) => Promise<CliOutcome>;
  /** The document that a command prints with --json. */
  readonly json: (...args: readonly string[]) => Promise<Record<string, unknown>>;
}

/** `flags`: of the server. */
export async function inspectedRegistry(
  files: Tree,
  flags: Readonly<Record<string, string>> = {},
): Promise<InspectedRegistry> {
  const tree = temporaryTree(files);
  const config = await loadConfig({
    flags: { data: tree.path('data'), ...flags },
    environment: {},
    workingDirectory: tree.root,
  });
  const published = createLocalPublishedFiles(tree.path('data'));
  const state = createMemoryStore();
  const runner = builderOf(tree.path('data'), tree.root);
  const doctor = builderOf(tree.path('data'), tree.root, serverEnvironment(config, cleanEnvironment()));
  const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: tree.root });
  return {
    tree,
    inspection: composeInspection(
      config,
      { environment: {}, workingDirectory: tree.root, now: () => new Date() },
      {
        published,
        catalogue: createCatalogue(published),
        state,
        runner,
        doctor,
        onUnseen: () => undefined,
        worker: contentsWorker,
      },
    ),
    state,
    runner,
    run,
    json: async (...args) =>
      JSON.parse((await run(...args, '--json', '--data', 'data')).stdout) as Record<string, unknown>,
  };
}
