// Tests upstreams that are ordinary servers and close their connections: every fetched file is complete, and no process
// of Libretto ends.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedRecords } from '../util/published-tree.ts';
import { runCli, startCli, type CliOutcome } from '../util/run-cli.ts';
import { closingServers, startStaticUpstream, type StaticUpstream } from '../util/static-upstream.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const playsAll = process.env['ENDINGS'] !== undefined;
const count = playsAll ? 100 : 40;
/** All of them in `npm run fault`, and otherwise the one that closes connections in the oldest way. */
const servers = !playsAll ? closingServers.slice(0, 1) : closingServers;
const environment = { LIBRETTO_DATA: 'data' };

describe.each(servers)('behind %s', { skip: lacks('python3', 'nginx') }, (server) => {
  let upstream: StaticUpstream;
  let folder: TemporaryFolder;
  beforeAll(async () => void (upstream = await startStaticUpstream(server, count)));
  afterAll(() => upstream[Symbol.asyncDispose]());

  const cli = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path, environment });

  /** A registry with one package of its own and these other sources, in a new folder. */
  async function registry(...sources: readonly Readonly<Record<string, unknown>>[]): Promise<TemporaryFolder> {
    folder = temporaryFolder('closing');
    mkdirSync(folder.at('own'));
    writeFileSync(folder.at('own/composer.json'), '{"name": "acme/app", "version": "1.0.0"}');
    writeFileSync(
      folder.at('libretto.json'),
      JSON.stringify({ egress: { allow: ['127.0.0.0/8'] }, sources: ['own', ...sources] }),
    );
    const { exitCode, stderr } = await cli('build');
    expect([exitCode, stderr.replace(/^.* archives fetched in advance, 0 already stored\.$/m, '')]).toEqual([0, '']);
    return folder;
  }

  /** Asserts that all archives are stored, each with its own bytes. */
  async function expectAllKept(): Promise<void> {
    expect(await cli('mirror', 'verify')).toMatchObject({
      exitCode: 0,
      stdout: `Checked ${count} archives: all as accepted.`,
    });
    const { archives } = JSON.parse((await cli('mirror', 'list', '--json')).stdout) as {
      archives: { name: string; shasum: string }[];
    };
    expect(new Map(archives.map(({ name, shasum }) => [name, shasum]))).toEqual(
      new Map(upstream.packages.map(({ name, shasum }) => [name, shasum])),
    );
  }

  it('a mirror delivers every archive completely', async () => {
    await using _folder = await registry({ type: 'composer', url: upstream.url });
    const token = (await cli('token', 'create', '--description', 'CI')).stdout;
    const serving = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
    try {
      const [url = ''] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
      const get = (path: string): Promise<Response> =>
        fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      const delivered = await Promise.all(
        upstream.packages.map(async ({ name, reference }) => {
          const document = await get(`/p2/${name}.json`);
          await document.arrayBuffer();
          const archive = await get(`/dist/${name}/1.0.0.zip?ref=${reference}`);
          return [
            document.status,
            archive.status,
            createHash('sha1')
              .update(Buffer.from(await archive.arrayBuffer()))
              .digest('hex'),
          ];
        }),
      );
      expect(delivered).toEqual(upstream.packages.map(({ shasum }) => [200, 200, shasum]));
      expect((await get('/health/ready')).status).toBe(200);
    } finally {
      serving.signal('SIGTERM');
    }
    expect((await serving.ended).exitCode).toBe(0);
  });

  it('a build publishes every inline package', async () => {
    const packages = upstream.packages.map(({ name, path, reference }) => ({
      name,
      version: '1.0.0',
      dist: { type: 'zip', url: `${upstream.url}${path}`, reference },
    }));
    await using _folder = await registry({ type: 'package', packages });
    const published = publishedRecords(folder.at('data')).filter(({ name }) => name !== 'acme/app');
    expect(new Map(published.map(({ name, dist }) => [name, dist.shasum]))).toEqual(
      new Map(upstream.packages.map(({ name, shasum }) => [name, shasum])),
    );
  });

  it('a build fetches every package in advance', async () => {
    await using _folder = await registry({
      type: 'composer',
      url: upstream.url,
      packages: Object.fromEntries(upstream.packages.map(({ name }) => [name, '*'])),
    });
    await expectAllKept();
  });

  it('a sync fetches every package in advance, and doctor reaches the repository', async () => {
    await using _folder = await registry();
    const added = await cli(
      'repository',
      'add',
      '--type',
      'composer',
      upstream.url,
      '--json',
      ...upstream.packages.flatMap(({ name }) => ['--package', name]),
    );
    const { id } = JSON.parse(added.stdout) as { id: string };
    const synced = await cli('repository', 'sync', id, '--json');
    expect([synced.exitCode, JSON.parse(synced.stdout)]).toMatchObject([
      0,
      { state: 'succeeded', report: { counts: { added: count } } },
    ]);
    await expectAllKept();
    expect((await cli('doctor')).stdout).toContain(`${upstream.url} `);
  });
});
