// A clone of this repository as its working folder is now: a git repository with one commit, and the installed packages
// of this one. `npm run release` and `npm pack` run in it, because they write into lib/, which other tests use.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toolPath } from './tool.ts';

const root = new URL('../..', import.meta.url).pathname;

/** Files that the copy lacks: those that git ignores, and most tests, because copying them takes time. */
const leftOut =
  /^(?:(?:\.git|node_modules|lib|released|var|libretto\.json|docs\/openapi\.json|docs\/reference\/json)(?:\/|$)|test\/(?!(?:setup|util)(?:\/|$)))/;

export interface RepositoryCopy {
  readonly path: string;
  readonly at: (...parts: readonly string[]) => string;
  readonly git: (...args: readonly string[]) => string;
  /** Replaces a text in a file; throws where the file does not have it. */
  readonly edit: (file: string, text: string | RegExp, replacement: string) => void;
  readonly commit: () => void;
}

/** Makes the clone at `path`, which must not exist yet. */
export function copyRepository(path: string): RepositoryCopy {
  cpSync(root, path, { recursive: true, filter: (from) => !leftOut.test(from.slice(root.length)) });
  const copy = openCopy(path);
  copy.git('init', '--quiet');
  linkPackages(path);
  copy.commit();
  return copy;
}

/** A second clone, at `path`. */
export function cloneRepository(copy: RepositoryCopy, path: string): RepositoryCopy {
  copy.git('clone', '--quiet', copy.path, path);
  linkPackages(path);
  return openCopy(path);
}

function linkPackages(path: string): void {
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  mkdirSync(join(path, '.git/info'), { recursive: true });
  // a link, which the line `node_modules/` of .gitignore does not mean
  writeFileSync(join(path, '.git/info/exclude'), 'node_modules\n');
}

function openCopy(path: string): RepositoryCopy {
  const git = (...args: readonly string[]): string =>
    execFileSync(toolPath('git'), ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.org', ...args], {
      cwd: path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    path,
    at: (...parts) => join(path, ...parts),
    git,
    edit: (file, text, replacement) => {
      const before = readFileSync(join(path, file), 'utf8');
      const after = before.replace(text, replacement);
      if (after === before) throw new Error(`${file} does not have ${String(text)}.`);
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), after);
    },
    commit: () => {
      git('add', '--all');
      git('commit', '--quiet', '--message', 'A state of the repository');
    },
  };
}

/** Gives the unreleased changes the heading of a version, as a release begins. */
export function raiseVersion(copy: RepositoryCopy, version: string): void {
  copy.edit('CHANGELOG.md', '## Unreleased\n', `## Unreleased\n\n## ${version} — 2026-12-01\n`);
  copy.edit('package.json', /"version": "[^"]+"/, `"version": "${version}"`);
  copy.edit('build/contract/libretto-version.ts', /'[\d.]+'/, `'${version}'`);
  copy.commit();
}
