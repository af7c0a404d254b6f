// A registry with a clock of its own, and the answers that a limited token gets from it. It is really built, pruned,
// rolled back and served.

import { readdirSync, statSync, utimesSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../build/build.ts';
import type { BuildEffects, BuildRequest } from '../../build/scan/build-request.ts';
import { rollBack } from '../../build/rollback/rollback.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { prune } from '../../build/prune/prune.ts';
import { purgeVersion } from '../../build/purge/purge-version.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import type { Catalogue } from '../../proxy/packages/catalogue.ts';
import type { PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { filesBelow } from './files-below.ts';
import { temporaryTree, type TemporaryTree } from './package-tree.ts';
import { runManagement, type RunningManagement } from './running-management.ts';
import type { Reply } from './running-proxy.ts';
import { whoLibrary } from './who-library.ts';

/** A version of a package; `content` undefined: it is removed. */
export interface Edit {
  readonly name: string;
  readonly version: string;
  readonly content: number | undefined;
}

export interface Asked {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ViewedRegistry {
  /** the data folder, and what is published there */
  readonly data: string;
  readonly published: PublishedFiles;
  readonly catalogue: Catalogue;
  readonly build: (edits: readonly Edit[], atMs: number, more?: Partial<BuildRequest>) => Promise<void>;
  /** Rolls back to the publication before the last. */
  readonly rollBack: (atMs: number) => Promise<void>;
  readonly prune: (atMs: number) => Promise<void>;
  readonly purge: (name: string, version: string, atMs: number) => Promise<void>;
  /** Gives the documents dates of their own, as a copy of the tree does. */
  readonly redate: (atMs: number) => void;
  /** A request with a token of these limits; null: with an unlimited token. */
  readonly ask: (asked: Asked, limits: Partial<TokenLimits> | null) => Promise<Reply>;
  /** Writes all counts, and sets the server's clock to `atMs`. */
  readonly settle: (atMs: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** In memory, where the system has space. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** `keepHistory`: the number of recorded publications. Without history, no archive is kept for rollbacks. */
export async function viewedRegistry(keepHistory: number): Promise<ViewedRegistry> {
  let serverMs = Date.UTC(2027, 0, 1);
  const served = await runManagement({ now: () => serverMs });
  const tree = temporaryTree(
    { 'src/steady/composer.json': { json: { name: 'acme/steady', version: '1.0.0', description: 'steady' } } },
    place,
  );
  const request = (more: Partial<BuildRequest>): BuildRequest => ({
    ...standardRequest,
    dataDirectory: served.data,
    baseDirectory: tree.root,
    keepHistory,
    ...more,
  });
  const tokenOf = createTokens(served);
  const { published, catalogue } = served.services;
  return {
    data: served.data,
    published,
    catalogue,
    ...publicationsOf(served, tree, request),
    redate: (atMs) => {
      const folder = join(served.data, 'public/p2');
      for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
        if (path.endsWith('.json')) utimesSync(join(folder, path), atMs / 1000, atMs / 1000);
    },
    ask: async ({ method, path, headers = {}, body }, limits) =>
      served.proxy.send(method, path, { authorization: `Bearer ${await tokenOf(limits)}`, ...headers }, body),
    settle: async (atMs) => {
      await Promise.all([served.services.downloads.flush(), served.services.installs.flush()]);
      serverMs = atMs;
    },
    end: async () => {
      await served[Symbol.asyncDispose]();
      tree.remove();
    },
  };
}

const standardRequest: Omit<BuildRequest, 'dataDirectory' | 'baseDirectory'> = {
  arguments: ['src'],
  configured: undefined,
  fallback: undefined,
  forget: [],
  strict: false,
  allowRepublish: false,
  allowWithdraw: true,
  jobs: 1,
  metadataUrl: '/p2/%package%$%hash%.json',
  distBaseUrl: undefined,
};

const effectsAt = (atMs: number): BuildEffects => ({
  now: () => new Date(atMs),
  progress: () => undefined,
  environment: { PATH: process.env['PATH'] },
});

/** One token for all callers with the same limits. */
function createTokens({ services }: RunningManagement): (limits: Partial<TokenLimits> | null) => Promise<string> {
  const tokens = new Map<string, string>();
  return async (limits) => {
    const key = JSON.stringify(limits);
    const known = tokens.get(key);
    if (known !== undefined) return known;
    const { secret } = await services
      .tokensOf('cli:test')
      .create({ description: 'a view', kind: 'write', limit: 100_000, ...(limits === null ? {} : { limits }) });
    tokens.set(key, secret.reveal());
    return secret.reveal();
  };
}

/** The operations that change the published tree. */
function publicationsOf(
  served: RunningManagement,
  tree: TemporaryTree,
  request: (more: Partial<BuildRequest>) => BuildRequest,
): Pick<ViewedRegistry, 'build' | 'rollBack' | 'prune' | 'purge'> {
  return {
    build: async (edits, atMs, more = {}) => {
      for (const edit of edits) apply(edit, tree);
      await build(request(more), effectsAt(atMs));
      dateArchives(join(served.data, 'public/dist'), atMs);
    },
    rollBack: async (atMs) => {
      const { serial } = (await served.services.published
        .read('index/_publication.json')
        .then((bytes) => JSON.parse(String(bytes)))) as { readonly serial: number };
      await rollBack({ to: serial - 1, dryRun: false }, request({}), effectsAt(atMs)).catch(unlessRefused);
    },
    prune: async (atMs) => {
      await prune({ dataDirectory: served.data, keepForMs: 0, dryRun: false, actor: 'cli:test' }, () => new Date(atMs));
    },
    purge: async (name, version, atMs) => {
      const order = {
        name: name as PackageName,
        version,
        reference: undefined,
        reason: 'secret',
        dryRun: false,
        mirrored: [],
      } as const;
      const outcome = await purgeVersion(order, { request: request({}), effects: effectsAt(atMs), waitMs: 0 });
      if (outcome.outcome === 'refused') throw new Error(outcome.message);
    },
  };
}

function apply({ name, version, content }: Edit, tree: TemporaryTree): void {
  const folder = `src/${name}/${version}`;
  tree.delete(folder);
  if (content === undefined) return;
  const files = whoLibrary(
    name,
    version,
    { description: `${name} ${version} ${content}`, keywords: ['kram'] },
    `${version} ${content}`,
  );
  for (const [path, entry] of Object.entries({ ...files, 'README.md': `# ${name} ${version} ${content}\n` }))
    tree.write({ [`${folder}/${path}`]: entry });
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof BuildRefused)) throw error;
}

/** New files have the system's time and get the registry's time here. */
function dateArchives(folder: string, atMs: number): void {
  for (const path of filesBelow(folder)) {
    const { ctimeMs, mtimeMs } = statSync(path);
    if (ctimeMs - mtimeMs < 3_600_000) utimesSync(path, atMs / 1000, atMs / 1000);
  }
}
