// A registry that the shipped program built, with what a server knows of it for its pages.

import { loadConfig } from '../../cli/config/config.ts';
import { composeInspection } from '../../cli/inspection/inspection.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import { createLocalPublishedFiles } from '../../proxy/tree/published-files.ts';
import { temporaryTree, type Tree, type TemporaryTree } from './package-tree.ts';
import { cleanEnvironment, runCli, type CliOutcome } from './run-cli.ts';

export interface InspectedRegistry {
  /** the folder `packages` is the source, the folder `data` is the data folder */
  readonly tree: TemporaryTree;
  readonly inspection: Inspection;
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
  const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: tree.root });
  return {
    tree,
    inspection: composeInspection(
      config,
      { environment: cleanEnvironment(), workingDirectory: tree.root },
      { published: createLocalPublishedFiles(tree.path('data')) },
    ),
    run,
    json: async (...args) =>
      JSON.parse((await run(...args, '--json', '--data', 'data')).stdout) as Record<string, unknown>,
  };
}
