// Tests that the core of the server works with nothing else of proxy/ and cli/. A copy of proxy/core, build/contract
// and build/shared compiles, and serves a built tree with tokens, limits and views to the real Composer.

import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

const root = join(import.meta.dirname, '../..');
const main = 'test/e2e/core-alone/main.ts';

/** The libraries stay where they are. */
async function compile(folder: string): Promise<readonly string[]> {
  for (const path of ['proxy/core', 'build/contract', 'build/shared', main])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as Record<string, object>;
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['proxy', 'build', 'test'] }),
  );
  await execa(join(root, 'node_modules/.bin/tsc'), ['-p', folder]);
  const bundle = await rolldown({ input: join(folder, main), platform: 'node', external: /^[^./]/ });
  const { output } = await bundle.write({ dir: join(folder, 'lib') });
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

const start = (...args: readonly string[]) =>
  execa(process.execPath, args, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit', buffer: false });

describe.skipIf(lacks('composer', 'php'))('the core alone', () => {
  const folder = temporaryFolder('core-alone');
  const data = folder.at('data');
  let modules: readonly string[];
  let server: ReturnType<typeof start>;
  let started: { readonly port: number; readonly tokens: Readonly<Record<'reader' | 'limited' | 'scarce', string>> };

  const get = (path: string, token?: string): Promise<Response> =>
    fetch(
      `http://127.0.0.1:${started.port}${path}`,
      token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    );

  beforeAll(async () => {
    writeTree(folder.at('packages'), {
      ...below('hello', whoLibrary('acme/hello', '1.0.0')),
      ...below('secret', whoLibrary('acme/secret', '1.0.0')),
    });
    expect(await runCli(['build', 'packages', '--data', data], { cwd: folder.path })).toMatchObject({ exitCode: 0 });
    modules = await compile(folder.at('core'));
    server = start(folder.at('core/lib/main.js'), data, folder.at('requests.log'));
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    started = JSON.parse(line.toString()) as typeof started;
  });

  afterAll(async () => {
    server.kill('SIGTERM');
    expect(await server).toMatchObject({ exitCode: 0 });
    const lines = readFileSync(folder.at('requests.log'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { status: number }).status)).toEqual(
      expect.arrayContaining([200, 401, 404, 429]),
    );
    await folder.remove();
  });

  it('consists of files of the three folders', () => {
    const copied = modules.filter((path) => path !== folder.at('core', main));
    expect(copied.length).toBeGreaterThan(80);
    expect(
      copied.filter(
        (path) => !/^core\/(?:proxy\/core|build\/contract|build\/shared)\//.test(path.slice(folder.path.length + 1)),
      ),
    ).toEqual([]);
  });

  it.each(['reader', 'limited'] as const)('installs a package for the token `%s`', async (name) => {
    const url = `http://127.0.0.1:${started.port}`;
    const auth = bearerAuth(`127.0.0.1:${started.port}`, started.tokens[name]);
    await using app = createProject({ url, auth, composerJson: { require: { 'acme/hello': '^1.0' } } });
    expect(await app.run('install')).toMatchObject({ exitCode: 0 });
    expect(await app.php(askWho('acme/hello'))).toBe('1.0.0');
  });

  it('hides a package from a limited token, as if it had never been published', async () => {
    const url = `http://127.0.0.1:${started.port}`;
    const auth = bearerAuth(`127.0.0.1:${started.port}`, started.tokens.limited);
    await using app = createProject({ url, auth, composerJson: { require: { 'acme/secret': '^1.0' } } });
    const { exitCode, output } = await app.run('install');
    expect([exitCode, output]).toEqual([2, expect.stringContaining('acme/secret')]);
    for (const path of ['/p2/acme/secret.json', '/p2/acme/never.json', '/dist/acme/secret/1.0.0.zip'])
      expect((await get(path, started.tokens.limited)).status).toBe(404);
    expect((await get('/p2/acme/secret.json', started.tokens.reader)).status).toBe(200);
  });

  it('answers 401 without a token, and 429 above the limit of a token', async () => {
    expect((await get('/packages.json')).status).toBe(401);
    const statuses: number[] = [];
    for (let request = 0; request < 3; request += 1)
      statuses.push((await get('/packages.json', started.tokens.scarce)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(await (await get('/health')).json()).toMatchObject({ status: 'ok', tree: 'ok' });
  });
});
