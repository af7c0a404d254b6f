// The question for a source. A source as a person typed it: what it is, and whether a build can read it.

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { findPackages } from '../../build/sources/directory/find-packages.ts';
import { GitFailure } from '../../build/sources/git-failure.ts';
import { listRemoteRefs } from '../../build/sources/git/list-remote-refs.ts';
import { parseGitUrl } from '../../build/sources/git-url.ts';
import { parseSource, isFolder } from '../../build/sources/spec.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { statNamed } from '../../build/shared/files/named-path.ts';
import { counted } from '../io/output.ts';
import type { Environment } from '../io/environment.ts';
import { UsageError } from '../io/usage-error.ts';
import type { SourceAnswer } from './answers.ts';
import type { InitQuestion } from './question.ts';

export const source: InitQuestion = {
  flag: 'source',
  option: '--source',
  repeats: true,
  essential: true,
  applies: () => true,
  prompt: ({ sources }) =>
    sources === undefined
      ? 'Source (a folder of packages, a git repository, its URL, or a folder of ZIPs and tars; none: CI uploads)'
      : 'Another source (Enter: no more)',
  standard: ({ sources }, { workingDirectory }) =>
    sources === undefined ? ['packages', 'packages-src'].find((name) => isFolder(resolve(workingDirectory, name))) : '',
  understand: async (answer, { sources = [] }, place) => {
    const { sources: found, remark } = await examineSource(answer, place);
    return { draft: { sources: [...sources, ...found] }, remark };
  },
};

interface ExaminedSource {
  /** several for a folder of git checkouts */
  readonly sources: readonly SourceAnswer[];
  /** what was found, a sentence */
  readonly remark: string;
}

/** Longer than a slow server needs, shorter than a person waits. */
const askingTimeoutMs = 20_000;

/** Throws UsageError for a source that no build can read, with the reason. */
async function examineSource(
  text: string,
  { workingDirectory, environment }: { readonly workingDirectory: string; readonly environment: Environment },
): Promise<ExaminedSource> {
  if (text === 'none') return { sources: [], remark: 'No source: packages come by `libretto publish` or an upload.' };
  const { place } = parsed(text, workingDirectory);
  if (place.kind === 'git' && 'url' in place)
    return { sources: [{ url: place.url }], remark: await describeRemote(place.url, environment) };
  if (!('path' in place)) throw new UsageError(`${text} cannot be a source here.`);
  const isKindGiven = /^(?:git|dir|artifact):/.test(text);
  const { path, kind } = place;
  refuseMissing(text, path);
  if (kind === 'git')
    return {
      sources: [{ prefix: 'git', path }],
      remark: `${text} is a git repository: its tags and branches become versions.`,
    };
  if (kind === 'artifact') return { sources: [{ prefix: 'artifact', path }], remark: describeZips(text, path) };
  return examineFolder(text, path, isKindGiven);
}

function parsed(text: string, workingDirectory: string): ReturnType<typeof parseSource> {
  return orUsageError(() => parseSource(text, workingDirectory, join(workingDirectory, 'var')));
}

/** The questions of a terminal answer a UsageError, and ask again. */
function orUsageError<Result>(attempt: () => Result): Result {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof BuildRefused)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

function refuseMissing(text: string, path: string): void {
  const facts = orUsageError(() => statNamed(path));
  if (facts === undefined) throw new UsageError(`There is no folder ${path}. Name an existing folder, or a git URL.`);
  if (!facts.isDirectory())
    throw new UsageError(`${text} is a file. Name the folder of the package, or the folder of the ZIPs.`);
}

async function describeRemote(url: string, environment: Environment): Promise<string> {
  const remote = parseGitUrl(url);
  if ('refusal' in remote) throw new UsageError(remote.refusal);
  try {
    const { tags, branches } = await listRemoteRefs({ remote, environment, timeoutMs: askingTimeoutMs });
    return `${url} has ${counted(tags.length, 'tag')} and ${counted(branches.length, 'branch', 'branches')}.`;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return `${url} cannot be read from here yet: ${error.message} A build tries again.`;
  }
}

function examineFolder(text: string, path: string, isKindGiven: boolean): ExaminedSource {
  const { folders } = findPackages(path, join(path, 'var'));
  if (folders.length === 0) {
    if (zipsIn(path) > 0 && !isKindGiven)
      return { sources: [{ prefix: 'artifact', path }], remark: describeZips(text, path) };
    throw new UsageError(
      `${path} contains no package: there is no composer.json at any depth, and no ZIP. Name the folder of a ` +
        'package, a folder of packages, a git repository or its URL.',
    );
  }
  const checkouts = folders.map((folder) => resolve(path, folder)).filter((folder) => existsSync(join(folder, '.git')));
  if (checkouts.length === folders.length && !isKindGiven)
    return {
      sources: checkouts.map((checkout) => ({ prefix: 'git', path: checkout })),
      remark: `${text} has ${counted(checkouts.length, 'git checkout')}: the tags and branches of each become versions.`,
    };
  const remark =
    folders[0] === '' ? `${text} is a package.` : `${text} is a folder with ${counted(folders.length, 'package')}.`;
  return {
    sources: [{ prefix: 'dir', path }],
    remark:
      checkouts.length === 0
        ? remark
        : `${remark} ${counted(checkouts.length, 'of them is a git checkout', 'of them are git checkouts')}. To ` +
          'publish their tags, name every package as a source of its own in place of the folder, and write git: in ' +
          'front of a checkout.',
  };
}

function describeZips(text: string, path: string): string {
  return `${text} is a folder with ${counted(zipsIn(path), 'ZIP')}, each a version of a package.`;
}

function zipsIn(path: string): number {
  return readdirSync(path, { recursive: true }).filter((name) => /\.zip$/i.test(String(name))).length;
}
