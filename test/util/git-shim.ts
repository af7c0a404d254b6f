// A `git` that records its arguments before it runs the real one: it proves that git was not called, or which objects
// were requested.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GitShim {
  /** for PATH */
  readonly path: string;
  /** one entry a process: its arguments; empties the list */
  readonly calls: () => string[];
  /** object ids asked of `git cat-file --batch`; empties the list */
  readonly asked: () => string[];
}

export function createGitShim(folder: string): GitShim {
  mkdirSync(folder, { recursive: true });
  const git = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
  const [calls, asked] = [join(folder, 'calls.log'), join(folder, 'asked.log')];
  const script = `#!/bin/sh\necho "$*" >> ${calls}\ncase "$*" in *cat-file*) tee -a ${asked} | ${git} "$@" ;; *) exec ${git} "$@" ;; esac\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  const take = (file: string): string[] => {
    const lines = existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
    rmSync(file, { force: true });
    return lines;
  };
  return {
    path: `${folder}:${process.env['PATH'] ?? ''}`,
    calls: () => take(calls),
    asked: () => take(asked).filter((oid) => !/^0+$/.test(oid)),
  };
}
