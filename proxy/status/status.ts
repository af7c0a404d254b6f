// The status of the registry: its contents, its last build, and the state of its parts. Each status request counts the
// records again.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLastBuild, lastBuildPath, type LastBuild } from '../../build/contract/last-build.ts';
import { publicationPath } from '../../build/contract/paths.ts';
import { parsePublication } from '../../build/contract/publication.ts';
import { artifactKeyPrefix, parseArtifactRecord } from '../artifacts/artifact.ts';
import { parseTokenRecord, tokenKeyPrefix, tokenStatus } from '../core/tokens/token.ts';
import { readRoster } from '../auth/user-roster.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { listConnections } from '../forges/model/connection.ts';
import { readProgress } from '../forges/model/read-progress.ts';
import type { Counters } from '../core/limits/counters.ts';
import type { UpstreamProblem } from '../mirror/rules/upstream-problems.ts';
import type { Catalogue } from '../packages/catalogue.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { listRepositories } from '../sync/list-repositories.ts';

export interface StatusCounts {
  /** readable ones */
  readonly packages: number;
  /** published packages with a missing or damaged file, which the other counts leave out */
  readonly damaged_packages: number;
  /** published ones */
  readonly versions: number;
  /** number of valid tokens */
  readonly tokens: { readonly read: number; readonly write: number };
  readonly users: number;
  readonly repositories: number;
  /** to forges */
  readonly connections: number;
  /** those whose last refresh failed */
  readonly failed_connections: number;
  /** published uploads */
  readonly artifacts: number;
}

export interface Status {
  readonly counts: StatusCounts;
  /** null before the first, and where it cannot be read */
  readonly publication: { readonly serial: number; readonly published_at: string } | null;
  readonly last_build: LastBuild | null;
  readonly counters: 'ok' | 'local';
  readonly mirror: { readonly problems: readonly UpstreamProblem[] };
}

export interface StatusOptions {
  /** source of the publications */
  readonly published: Pick<PublishedFiles, 'read'>;
  /** the data folder that is built into; undefined: builds are made on another host */
  readonly dataDirectory: string | undefined;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly catalogue: Catalogue;
  readonly counters: Pick<Counters, 'degraded'>;
  /** of other registries; undefined: none is configured */
  readonly upstreamProblems?: (() => MaybeAsync<readonly UpstreamProblem[]>) | undefined;
}

export async function readStatus(
  { published, dataDirectory, state, catalogue, counters, upstreamProblems = () => [] }: StatusOptions,
  nowMs: number,
): Promise<Status> {
  const [counts, publication, last_build] = await Promise.all([
    countAll(state, catalogue, nowMs),
    readOrNull(() => published.read(`index/${publicationPath}`), parsePublication),
    dataDirectory === undefined ? null : readOrNull(() => readFile(join(dataDirectory, lastBuildPath)), parseLastBuild),
  ]);
  return {
    counts,
    publication: publication === null ? null : { serial: publication.serial, published_at: publication.published_at },
    last_build,
    counters: counters.degraded() ? 'local' : 'ok',
    mirror: { problems: await upstreamProblems() },
  };
}

async function countAll(state: StatusOptions['state'], catalogue: Catalogue, nowMs: number): Promise<StatusCounts> {
  const [packages, damaged, tokens, { roster }, repositories, connections, artifacts] = await Promise.all([
    catalogue.read(nowMs),
    catalogue.unread(nowMs),
    state.range(tokenKeyPrefix),
    readRoster(state),
    listRepositories(state),
    listConnections(state),
    state.range(artifactKeyPrefix),
  ]);
  const active = tokens
    .map(({ value }) => parseTokenRecord(value))
    .filter((token) => tokenStatus(token, nowMs) === 'active');
  const refreshes = await Promise.all(connections.map(({ id }) => readProgress(state, id)));
  const summaries = [...packages.all.values()];
  return {
    packages: summaries.length,
    damaged_packages: damaged.length,
    versions: summaries.reduce((sum, { versions }) => sum + versions, 0),
    tokens: {
      read: active.filter(({ kind }) => kind === 'read').length,
      write: active.filter(({ kind }) => kind === 'write').length,
    },
    users: roster.users,
    repositories: repositories.length,
    connections: connections.length,
    failed_connections: refreshes.filter(({ error }) => error !== null).length,
    artifacts: artifacts.filter(({ value }) => parseArtifactRecord(value).status === 'published').length,
  };
}

/** null for a missing or damaged file: the next build repairs the file, and /health reports the fault. */
async function readOrNull<Content>(
  read: () => Promise<Buffer | undefined>,
  parse: (text: string) => Content | undefined,
): Promise<Content | null> {
  try {
    const bytes = await read();
    return bytes === undefined ? null : (parse(bytes.toString('utf8')) ?? null);
  } catch {
    return null;
  }
}
