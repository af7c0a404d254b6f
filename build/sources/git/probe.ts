// Probes a remote repository: tests the access, counts tags and branches, and lists the packages of its default branch.
// The probe fetches only the newest commit of one ref, into a temporary folder.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { tagVersion } from '../../contract/tag.ts';
import { folderBytes } from './folder-bytes.ts';
import { listRemoteRefs, type RemoteOptions } from './list-remote-refs.ts';
import { remoteEnvironment, remoteOptions } from './git-environment.ts';
import { GitFailure } from '../git-failure.ts';
import { createGitSource } from './git-source.ts';
import { parseGitUrl } from '../git-url.ts';
import { decodeRefName, type Refs } from './refs.ts';
import { runGit, fetchingBytes } from './run-git.ts';
import { describePatterns, selectRefs, type GitSelection } from './selection.ts';

export interface GitProbeOptions extends Pick<GitSelection, 'refs' | 'subdirectories'>, Omit<RemoteOptions, 'remote'> {
  readonly url: string;
}

export interface Probe {
  /** number of tags that the selection accepts */
  readonly tags: number;
  readonly branches: number;
  readonly defaultBranch: string | null;
  /** the ref from which `packages` was read: `main`, or a tag if no branch is selected */
  readonly readFrom: string;
  readonly packages: readonly string[];
  /** the faults there, for people */
  readonly problems: readonly string[];
}

const mostBytes = 1024 ** 3;

/** Throws GitFailure with the reason. */
export async function probeRepository(options: GitProbeOptions): Promise<Probe> {
  const remote = parseGitUrl(options.url);
  if ('refusal' in remote) throw new GitFailure(remote.refusal);
  const remoteRefs = await listRemoteRefs({ ...options, remote });
  if (remoteRefs.tags.length + remoteRefs.branches.length === 0)
    throw new GitFailure('The repository has no commits yet: it has neither tags nor branches.');
  const refs = (await selectRefs(options))(remoteRefs);
  const ref = refToRead(refs);
  if (ref === undefined) throw new GitFailure(`No tag or branch matches ${describePatterns(options)}.`);
  const directory = await mkdtemp(join(tmpdir(), 'libretto-probe-'));
  try {
    const repository = join(directory, 'probe.git');
    await fetchNewest({ ...options, remote }, ref, repository);
    // one ref is fetched, and says nothing about the releases in the others
    const mayHaveReleases = options.refs !== undefined || remoteRefs.tags.some(({ name }) => namesVersion(name));
    const { packages, problems } = await packagesIn(repository, directory, {
      ...options,
      refs: mayHaveReleases ? {} : undefined,
    });
    return {
      tags: refs.tags.length,
      branches: refs.branches.length,
      defaultBranch: 'branch' in remoteRefs.head ? text(remoteRefs.head.branch) : null,
      readFrom: text(ref.replace(/^refs\/(?:heads|tags)\//, '')),
      packages,
      problems,
    };
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

function namesVersion(tag: string): boolean {
  return 'version' in tagVersion(text(tag));
}

function text(name: string): string {
  return decodeRefName(name) ?? name;
}

function refToRead({ head, branches, tags }: Refs): string | undefined {
  const branch =
    'branch' in head && branches.some(({ name }) => name === head.branch) ? head.branch : branches[0]?.name;
  if (branch !== undefined) return `refs/heads/${branch}`;
  const tag = tags.at(-1)?.name;
  return tag === undefined ? undefined : `refs/tags/${tag}`;
}

async function fetchNewest(
  { remote, environment, timeoutMs, stop }: RemoteOptions,
  ref: string,
  repository: string,
): Promise<void> {
  const shared = { environment: remoteEnvironment(environment, repository, remote.protocols), timeoutMs, stop };
  await runGit({
    ...shared,
    operands: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '--', repository],
  });
  const name = Buffer.from(ref, 'latin1').toString('utf8');
  const watch = { everyMs: 250, mustStop: async () => (await folderBytes(repository, mostBytes)) > mostBytes };
  await runGit({
    ...shared,
    memoryBytes: fetchingBytes,
    watch,
    operands: [
      ...remoteOptions(remote, timeoutMs),
      '-c',
      'fetch.unpackLimit=1',
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      '--no-recurse-submodules',
      '--no-write-fetch-head',
      '--',
      remote.url,
      `+${name}:${name}`,
    ],
  });
}

async function packagesIn(
  repository: string,
  cacheDirectory: string,
  { refs, subdirectories, environment, timeoutMs }: GitProbeOptions,
): Promise<Pick<Probe, 'packages' | 'problems'>> {
  const source = createGitSource({
    location: { kind: 'path', path: repository },
    cacheDirectory,
    timeoutMs,
    environment,
    refs,
    subdirectories,
    from: 'registered',
  });
  try {
    const scan = await source.scan(undefined);
    if (scan.outcome === 'failed') return { packages: [], problems: [scan.reason] };
    if (scan.outcome !== 'read') return { packages: [], problems: [] };
    const names = [...scan.releases, ...scan.quarantined].flatMap(({ name }) => name ?? []);
    return {
      packages: [...new Set(names)].toSorted(),
      problems: [...scan.quarantined.map(({ where, message }) => `${where}: ${message}`), ...scan.notices],
    };
  } finally {
    await source.close();
  }
}
