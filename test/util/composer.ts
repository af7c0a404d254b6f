// Runs the real Composer in a project of its own, with a fresh home, cache and environment, so that tests do not affect
// each other. A test reads the results on disk: composer.lock, vendor/.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { compiledPhp } from './compiled-php.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { toolPath } from './tool.ts';

/**
 * The client under test as program and first arguments: the installed `composer`, or the command that
 * LIBRETTO_COMPOSERS names (vitest.config.ts).
 */
export function composerCommand(): readonly [program: string, ...args: string[]] {
  const [program, ...args] = (process.env['TEST_COMPOSER'] ?? '').split(/\s+/).filter((word) => word !== '');
  return program === undefined ? [toolPath('composer')] : [program, ...args];
}

/** Whether the tested client has this version, such as `2.10`, or a newer one. */
export async function isComposerFrom(version: string): Promise<boolean> {
  const [program, ...first] = composerCommand();
  const { stdout } = await execa(program, [...first, '--version', '--no-ansi'], {
    env: { COMPOSER_ALLOW_SUPERUSER: '1' },
  });
  const found = /\b(\d+)\.(\d+)\.\d/.exec(stdout);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return found !== null && (Number(found[1]) > major || (Number(found[1]) === major && Number(found[2]) >= minor));
}

export interface ComposerResult {
  readonly exitCode: number;
  /** stdout and stderr as shown to a person, without colours and wrapping */
  readonly output: string;
  readonly stdout: string;
}

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly dist?: {
    readonly type: string;
    readonly url: string;
    readonly reference?: string;
    readonly shasum?: string;
    readonly mirrors?: readonly { readonly url: string; readonly preferred: boolean }[];
  };
  readonly [key: string]: unknown;
}

export interface Project extends AsyncDisposable {
  readonly path: string;
  readonly home: string;
  readonly run: (...args: readonly string[]) => Promise<ComposerResult>;
  /** like run, with variables for this call alone */
  readonly runWith: (
    variables: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ) => Promise<ComposerResult>;
  /** locked packages by name; throws while there is no lock file */
  readonly locked: () => Readonly<Record<string, LockedPackage>>;
  readonly exists: (path: string) => boolean;
  readonly read: (path: string) => string;
  readonly mode: (path: string) => number;
  /** runs PHP code with the loaded autoloader; returns its output */
  readonly php: (code: string) => Promise<string>;
  readonly removeVendor: () => void;
  readonly clearCache: () => void;
  readonly remove: () => Promise<void>;
}

export interface ProjectOptions {
  /** the repository's address, including its user information */
  readonly url: string;
  /** the content of auth.json; no file where absent */
  readonly auth?: unknown;
  /** merged into composer.json; `config` and `repositories` are merged too */
  readonly composerJson?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** true: only the repositories in `composerJson` */
  readonly only?: boolean;
}

/** auth.json for a token as a bearer. */
export const bearerAuth = (host: string, token: string): unknown => ({ bearer: { [host]: token } });

export function createProject(options: ProjectOptions): Project {
  const folder = temporaryFolder('project');
  const path = folder.at('app');
  const home = folder.at('home');
  for (const made of [path, home]) mkdirSync(made);
  writeFileSync(join(path, 'composer.json'), JSON.stringify(composerJsonOf(options), null, 4));
  if (options.auth !== undefined) writeFileSync(join(path, 'auth.json'), JSON.stringify(options.auth), { mode: 0o600 });

  const [program, ...first] = composerCommand();
  const runWith: Project['runWith'] = async (variables, ...args) => {
    const { exitCode, all, stdout } = await execa(program, [...first, ...args, '--no-interaction', '--no-ansi'], {
      cwd: path,
      env: { ...composerEnvironment(home), ...options.environment, ...variables },
      extendEnv: false,
      reject: false,
      all: true,
      stdin: 'ignore',
      timeout: 100_000,
    });
    return { exitCode: exitCode ?? -1, output: all, stdout };
  };

  return {
    path,
    home,
    run: (...args) => runWith({}, ...args),
    runWith,
    locked: () => readLock(join(path, 'composer.lock')),
    exists: (relative) => existsSync(join(path, relative)),
    read: (relative) => readFileSync(join(path, relative), 'utf8'),
    mode: (relative) => statSync(join(path, relative)).mode & 0o777,
    php: async (code) =>
      (await execa(toolPath('php'), ['-r', `require 'vendor/autoload.php'; ${code}`], { cwd: path })).stdout,
    removeVendor: () => rmSync(join(path, 'vendor'), { recursive: true, force: true }),
    clearCache: () => rmSync(join(home, 'cache'), { recursive: true, force: true }),
    remove: folder.remove,
    [Symbol.asyncDispose]: folder.remove,
  };
}

/** Adds the registry as a repository of the project, and removes the public one. */
function composerJsonOf({ composerJson, url, only }: ProjectOptions): object {
  const { config, repositories, ...rest } = { config: {}, repositories: [], ...composerJson };
  return {
    ...rest,
    repositories: [
      ...(only === true ? [] : [{ type: 'composer', url }]),
      ...(repositories as readonly unknown[]),
      { 'packagist.org': false },
    ],
    config: { 'secure-http': false, ...(config as object) },
  };
}

/** The environment of Composer, which has only the paths of programs. */
export function composerEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    COMPOSER_HOME: join(home, 'composer'),
    COMPOSER_CACHE_DIR: join(home, 'cache'),
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_NO_INTERACTION: '1',
    COMPOSER_DISABLE_XDEBUG_WARN: '1',
    COLUMNS: '400',
    PHP_INI_SCAN_DIR: compiledPhp(),
    LC_ALL: 'C.UTF-8',
  };
}

function readLock(file: string): Record<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: LockedPackage[]; 'packages-dev': LockedPackage[] };
  return Object.fromEntries([...lock.packages, ...lock['packages-dev']].map((entry) => [entry.name, entry]));
}
