// A git repository in a folder of its own, whose history a test builds step by step with the trees of package-tree.ts.

import { createRepository, type FileChanges, type FileSpec } from './git-repository.ts';
import { temporaryTree, type Tree, type TreeEntry } from './package-tree.ts';

export interface GitHistory {
  readonly root: string;
  /**
   * Adds these files to a branch (default: main), which starts at `from` where it does not exist. Returns the commit's
   * id.
   */
  readonly commit: (
    tree: Tree,
    options?: { readonly branch?: string; readonly from?: string; readonly remove?: readonly string[] },
  ) => string;
  /** at the tip of main */
  readonly tag: (name: string, options?: { readonly annotated: boolean }) => void;
  /** tip of a branch */
  readonly tip: (branch?: string) => string;
  readonly git: (...args: readonly string[]) => string;
  readonly gitBytes: (...args: readonly string[]) => Buffer;
  readonly remove: () => void;
}

export function gitHistory(): GitHistory {
  const folder = temporaryTree();
  const repository = createRepository(folder.root, []);
  const tip = (branch = 'main'): string => repository.git('rev-parse', `refs/heads/${branch}`);
  return {
    root: folder.root,
    commit: (tree, { branch = 'main', from, remove = [] } = {}) => {
      const removed = Object.fromEntries(remove.map((path) => [path, null]));
      repository.append([
        { commit: branch, files: { ...removed, ...changesOf(tree) }, ...(from === undefined ? {} : { from }) },
      ]);
      return tip(branch);
    },
    tag: (name, { annotated } = { annotated: false }) => repository.append([{ tag: name, at: 'main', annotated }]),
    tip,
    git: repository.git,
    gitBytes: repository.gitBytes,
    remove: folder.remove,
  };
}

/** A tree as the files of one commit. */
export const changesOf = (tree: Tree): FileChanges =>
  Object.fromEntries(Object.entries(tree).map(([path, entry]) => [path, fileOf(entry)]));

function fileOf(entry: TreeEntry): FileSpec {
  if (typeof entry === 'string' || entry instanceof Uint8Array) return { mode: '100644', content: entry };
  if ('json' in entry) return { mode: '100644', content: `${JSON.stringify(entry.json, null, 2)}\n` };
  if ('link' in entry) return { mode: '120000', content: entry.link };
  if ('fifo' in entry) throw new Error('git has no FIFOs');
  return { mode: (entry.mode & 0o111) === 0 ? '100644' : '100755', content: entry.content };
}
