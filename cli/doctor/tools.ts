// Checks the versions of the programs that Libretto needs. Their versions are close to semver.

import { execa } from 'execa';
import semver from 'semver';

import type { Environment } from '../io/environment.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';

/** The minimum in `engines` of package.json. */
const leastNode = '20.18.1';
/** `fetch --no-write-fetch-head` came with it. */
const leastGit = '2.29.0';
/** Metadata of the form `metadata-url` are read from it on. */
const leastComposer = '2.0.0';

const timeoutMs = 15_000;

export function checkNode(version: string): Finding {
  return semver.gte(version, leastNode)
    ? ok('node', `Node.js ${version}`)
    : failed('node', `Node.js ${version} is too old.`, `Install Node.js ${leastNode} or newer.`);
}

export async function checkGit(environment: Environment): Promise<Finding> {
  const version = await versionOf('git', environment);
  if (version === undefined)
    return warning('git', 'git was not found.', 'Install it, unless no repository is published from here.');
  return semver.gte(version, leastGit)
    ? ok('git', `git ${version}`)
    : failed('git', `git ${version} is too old to fetch repositories.`, `Install git ${leastGit} or newer.`);
}

/** Checks the Composer client if one is installed: a host that only serves needs none. */
export async function checkComposer(environment: Environment): Promise<Finding> {
  const version = await versionOf('composer', {
    ...environment,
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_NO_INTERACTION: '1',
  });
  if (version === undefined) return skipped('composer', 'Composer is not installed here; only clients need it.');
  return semver.gte(version, leastComposer)
    ? ok('composer', `Composer ${version}`)
    : warning(
        'composer',
        `Composer ${version} cannot read this registry.`,
        `Clients need Composer ${leastComposer} or newer: composer self-update --2`,
      );
}

/** Undefined if the program is missing or prints no version. */
async function versionOf(program: string, environment: Environment): Promise<string | undefined> {
  const { stdout, failed: broke } = await execa(program, ['--version'], {
    env: environment,
    extendEnv: false,
    reject: false,
    timeout: timeoutMs,
    stdin: 'ignore',
  });
  return broke ? undefined : semver.coerce(stdout)?.version;
}
