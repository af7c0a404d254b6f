// Builds git repositories for tests from a list of steps, in one `git fast-import`: hundreds of commits take
// milliseconds. The same steps give the same object ids. Later steps can be appended, as a maintainer would push them.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FileSpec {
  readonly mode: '100644' | '100755' | '120000' | '160000';
  /** the target of a symlink, or the commit id of a submodule */
  readonly content: string | Uint8Array;
}

/** By path; a string is an ordinary file, null deletes. */
export type FileChanges = Readonly<Record<string, string | FileSpec | null>>;

export type RepositoryStep =
  /** continues the branch, or starts it (at the tip of `from`, otherwise empty) */
  | {
      readonly commit: string;
      readonly files: FileChanges;
      readonly from?: string;
      readonly authorTime?: number;
      readonly committerTime?: number;
    }
  /** at the tip that the branch has then */
  | { readonly tag: string; readonly at: string; readonly annotated?: boolean }
  | { readonly branch: string; readonly from: string }
  | { readonly deleteRef: string };

export interface RepositoryOptions {
  readonly bare?: boolean;
  readonly objectFormat?: 'sha1' | 'sha256';
  readonly head?: string;
}

export interface TestRepository {
  readonly path: string;
  readonly gitDirectory: string;
  readonly append: (steps: readonly RepositoryStep[]) => void;
  /** Runs git in it and returns its output without the last line feed. */
  readonly git: (...operands: string[]) => string;
  readonly gitBytes: (...operands: string[]) => Buffer;
}

/** 2026-01-01T00:00:00Z; each commit without a time of its own is one minute later. */
const firstTime = 1_767_225_600;

/** An environment without the developer's own git configuration. */
export const testGitEnvironment = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A U Thor',
  GIT_AUTHOR_EMAIL: 'author@example.org',
  GIT_COMMITTER_NAME: 'C O Mitter',
  GIT_COMMITTER_EMAIL: 'committer@example.org',
};

/** Creates a repository at `path`, which may exist as an empty folder. */
export function createRepository(
  path: string,
  steps: readonly RepositoryStep[],
  options: RepositoryOptions = {},
): TestRepository {
  initialise(path, options);
  return openRepository(path, steps, true);
}

/** Writes what `git init` writes, without a process and without its samples of hooks. */
function initialise(path: string, { bare = false, objectFormat = 'sha1', head = 'main' }: RepositoryOptions): void {
  const folder = bare ? path : join(path, '.git');
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'hooks'])
    mkdirSync(join(folder, name), { recursive: true });
  const sha256 = objectFormat === 'sha256';
  const core = `[core]\n\trepositoryformatversion = ${sha256 ? 1 : 0}\n\tfilemode = true\n\tbare = ${bare}\n`;
  const kind = `${bare ? '' : '\tlogallrefupdates = true\n'}${sha256 ? '[extensions]\n\tobjectformat = sha256\n' : ''}`;
  writeFileSync(join(folder, 'config'), core + kind);
  writeFileSync(join(folder, 'HEAD'), `ref: refs/heads/${head}\n`);
}

/** The steps that add to an existing repository. */
export function openRepository(path: string, steps: readonly RepositoryStep[] = [], isNew = false): TestRepository {
  const gitDirectory = existsSync(join(path, '.git')) ? join(path, '.git') : path;
  const run = (operands: readonly string[], input?: Uint8Array): Buffer =>
    execFileSync('git', [...operands], {
      cwd: path,
      env: { ...testGitEnvironment, GIT_DIR: gitDirectory },
      maxBuffer: 1 << 30,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  let time = firstTime;
  let isEmpty = isNew;
  const repository: TestRepository = {
    path,
    gitDirectory,
    append(more) {
      const count = isEmpty ? 0 : Number(run(['rev-list', '--all', '--count']).toString());
      time = Math.max(time, firstTime + 60 * count);
      const heads = isEmpty ? '' : run(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']).toString();
      const branches = new Set(heads.split('\n'));
      isEmpty = false;
      run(
        ['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet', '--force', '--date-format=raw'],
        script(more, branches, () => (time += 60)),
      );
      for (const step of more) if ('deleteRef' in step) run(['update-ref', '-d', step.deleteRef]);
    },
    git: (...operands) => run(operands).toString('utf8').replace(/\n$/, ''),
    gitBytes: (...operands) => run(operands),
  };
  if (steps.length > 0) repository.append(steps);
  return repository;
}

/** `existing`: branches that fast-import must be told to continue; it continues its own branches by itself. */
function script(steps: readonly RepositoryStep[], existing: Set<string>, nextTime: () => number): Buffer {
  const parts: Buffer[] = [];
  const line = (text: string): void => void parts.push(Buffer.from(`${text}\n`));
  const data = (content: string | Uint8Array): void => {
    const bytes = Buffer.from(content);
    line(`data ${bytes.length}`);
    parts.push(bytes, Buffer.from('\n'));
  };
  for (const step of steps) {
    if ('commit' in step) {
      const time = step.authorTime ?? nextTime();
      line(`commit refs/heads/${step.commit}`);
      line(`author A U Thor <author@example.org> ${time} +0200`);
      line(`committer C O Mitter <committer@example.org> ${step.committerTime ?? time} -0500`);
      data('change');
      // without `^0` fast-import would look for a branch of its own, which does not exist
      if (step.from !== undefined) line(`from refs/heads/${step.from}`);
      else if (existing.has(step.commit)) line(`from refs/heads/${step.commit}^0`);
      existing.delete(step.commit);
      for (const [path, change] of Object.entries(step.files)) writeChange(path, change, line, data);
    } else if ('branch' in step) {
      line(`reset refs/heads/${step.branch}\nfrom refs/heads/${step.from}`);
    } else if ('tag' in step && step.annotated === true) {
      line(
        `tag ${step.tag}\nfrom refs/heads/${step.at}\ntagger C O Mitter <committer@example.org> ${nextTime()} +0000`,
      );
      data('release');
    } else if ('tag' in step) {
      line(`reset refs/tags/${step.tag}\nfrom refs/heads/${step.at}`);
    }
  }
  return Buffer.concat(parts);
}

function writeChange(
  path: string,
  change: string | FileSpec | null,
  line: (text: string) => void,
  data: (content: string | Uint8Array) => void,
): void {
  const name = JSON.stringify(path);
  if (change === null) return line(`D ${name}`);
  const { mode, content } = typeof change === 'string' ? { mode: '100644', content: change } : change;
  if (mode === '160000') return line(`M ${mode} ${Buffer.from(content).toString()} ${name}`);
  line(`M ${mode} inline ${name}`);
  data(content);
}
