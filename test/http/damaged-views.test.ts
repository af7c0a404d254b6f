// Tests damaged files of the tree with tokens that see none of their versions: these tokens get the answers of a sound
// tree, so that the damage reveals no hidden package (I14).

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TokenLimits } from '../../proxy/core/views/token-limits.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';
import { HandMadeTree, zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';
import { firstOf, sampleOf } from '../util/series.ts';

const version = (text: string, time: string): VersionSpec => ({
  version: text,
  normalized: text.startsWith('dev-') ? text : `${text}.0`,
  zip: zipBytes(text),
  time,
});
const [early, late] = ['2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z'];

let registry: RunningManagement;
beforeEach(async () => {
  registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/core', [version('1.0.0', early), version('dev-main', late)]);
  tree.put('acme/onlydev', [version('dev-main', late)]);
  tree.put('acme/late', [version('2.0.0', late)]);
  tree.publish();
});
afterEach(() => registry[Symbol.asyncDispose]());

const create = async (limits: Partial<TokenLimits>): Promise<string> => {
  const made = await registry.services
    .tokensOf('cli:test')
    .create({ description: 'a', kind: 'read', limit: 0, limits });
  return made.secret.reveal();
};
const get = (path: string, token: string): Promise<Reply> =>
  registry.proxy.send('GET', path, { authorization: `Bearer ${token}` });
const answersTo = (token: string, paths: readonly string[]): Promise<unknown> =>
  Promise.all(
    paths.map(async (asked) => {
      const { status, headers, body } = await get(asked, token);
      return [asked, status, headers['last-modified'], body.toString('utf8')];
    }),
  );
let moment = 1_600_000_000;
/** Makes the server read the file again, like a server that has just started. */
const write = async (path: string, bytes: string | Buffer): Promise<void> => {
  const file = join(registry.data, path);
  const { mtime } = statSync(file);
  writeFileSync(file, bytes);
  utimesSync(file, mtime, mtime);
  moment += 1;
  utimesSync(join(registry.data, 'index/_publication.json'), moment, moment);
  await new Promise((resolve) => setTimeout(resolve, 10));
};
const ofPackage = (name: string): readonly string[] => [
  `/p2/${name}.json`,
  `/p2/${name}~dev.json`,
  `/api/packages/${name}`,
  `/api/packages/${name}/statistics`,
  `/api/packages/${name}/readme`,
  `/feeds/${name}.atom?stability=dev`,
];
const lists = [
  '/packages.json',
  '/list.json',
  '/search.json?q=',
  '/providers/acme/core.json',
  '/feeds/releases.atom?stability=dev',
  '/api/packages',
];

describe.each(
  sampleOf(
    [
      ['minimum stability', { stability: 'stable' }, 'public/p2/acme/onlydev~dev.json'],
      ['minimum stability', { stability: 'stable' }, 'public/p2/acme/core~dev.json'],
      ['versions', { constraints: { '*': '^1.0' } }, 'public/p2/acme/late.json'],
      ['versions', { constraints: { 'acme/*': '^1.0' } }, 'public/p2/acme/core~dev.json'],
      ['release time', { not_after: '2026-02-01T00:00:00.000Z' }, 'public/p2/acme/late.json'],
      ['release time', { not_after: '2026-02-01T00:00:00.000Z' }, 'public/p2/acme/core~dev.json'],
    ] as const,
    2,
  ),
)('a token limited by %s (%j) and a damaged %s', (_, limits, path) => {
  it('get the answers of a sound tree, and every other token gets the error', async () => {
    const [limited, all] = [await create(limits), await create({})];
    const name = path.slice('public/p2/'.length).replace(/(~dev)?\.json$/, '');
    const paths = [...ofPackage(name), ...ofPackage('acme/core'), ...lists];
    const answers = (): Promise<unknown> => answersTo(limited, paths);
    const sound = await answers();
    for (const damage of ['', '{"packages": {}}']) {
      await write(path, damage);
      expect(await answers()).toEqual(sound);
      for (const asked of [path.slice('public'.length), `/api/packages/${name}`])
        expect((await get(asked, all)).json()).toMatchObject({ code: 'TREE_DAMAGED' });
    }
  });
});

it('a damaged index reveals no hidden package, also together with a damaged document', async () => {
  const [limited, all] = [await create({ stability: 'stable' }), await create({})];
  const answers = async (): Promise<unknown> =>
    Promise.all(ofPackage('acme/onlydev').map(async (path) => [path, (await get(path, limited)).status]));
  const absent = ofPackage('acme/onlydev').map((path) => [path, 404]);
  await write('index/acme/onlydev.json', '{');
  expect(await answers()).toEqual(absent);
  expect((await get('/api/packages/acme/onlydev', all)).status).toBe(500);
  await write('public/p2/acme/onlydev~dev.json', '{');
  expect(await answers()).toEqual(absent);
  expect((await get('/p2/acme/onlydev~dev.json', all)).status).toBe(500);
});

describe.each(
  firstOf(
    [
      ['minimum stability', { stability: 'stable' }, 'acme/onlydev', 'dev-main'],
      ['versions', { constraints: { '*': '^1.0' } }, 'acme/late', '2.0.0'],
      ['release time', { not_after: '2026-02-01T00:00:00.000Z' }, 'acme/late', '2.0.0'],
    ] as const,
    2,
  ),
)('a token limited by %s (%j) and a damaged index of %s', (_, limits, name, label) => {
  it('get the answers of a sound tree, with intact and with damaged documents', async () => {
    const limited = await create(limits);
    const paths = [...ofPackage(name), `/dist/${name}/${label}.zip`, ...ofPackage('acme/core'), ...lists];
    const answers = (): Promise<unknown> => answersTo(limited, paths);
    const sound = await answers();
    for (const damage of ['', '{']) {
      await write(`index/${name}.json`, damage);
      expect(await answers()).toEqual(sound);
    }
    const all = await create({});
    const codeOf = async (path: string): Promise<unknown> => (await get(path, all)).json()['code'];
    expect(await codeOf(`/dist/${name}/${label}.zip`)).toBe('TREE_DAMAGED');
    rmSync(join(registry.data, `public/dist`), { recursive: true });
    expect(await codeOf('/dist/acme/core/1.0.0.zip')).toBe('TREE_DAMAGED');
    // a folder instead of the file: the system refuses to read it
    rmSync(join(registry.data, `index/${name}.json`));
    mkdirSync(join(registry.data, `index/${name}.json`));
    expect(await answers()).toEqual(sound);
    for (const asked of ['', '/readme', '/changelog'])
      expect(await codeOf(`/api/packages/${name}${asked}`)).toBe('TREE_DAMAGED');
    for (const kind of ['', '~dev'])
      if (existsSync(join(registry.data, `public/p2/${name}${kind}.json`)))
        await write(`public/p2/${name}${kind}.json`, '{');
    expect(await answers()).toEqual(sound);
  });
});

it.each([
  { constraints: { '*': '^1.0' } },
  { stability: 'stable' },
  { not_after: '2026-02-01T00:00:00.000Z' },
] as const)(
  'a damaged index of a package that a token limited by %j sees affects its archives alone',
  async (limits) => {
    const limited = await create(limits);
    const read = async (path: string): Promise<unknown> => {
      const { status, body } = await get(path, limited);
      return [path, status, body.toString('utf8')];
    };
    const whole = ['/packages.json', '/list.json', '/p2/acme/core.json', '/p2/acme/core~dev.json'];
    const sound = await Promise.all(whole.map(read));
    await write('index/acme/core.json', '{');
    expect(await Promise.all(whole.map(read))).toEqual(sound);
    expect((await get('/dist/acme/core/1.0.0.zip', limited)).status).toBe(500);
    const installs = ['acme/core', 'acme/late'].map((name) => ({ name, version: '1.0.0.0' }));
    const headers = { authorization: `Bearer ${limited}`, 'content-type': 'application/json' };
    const report = await registry.proxy.send('POST', '/downloads', headers, JSON.stringify({ downloads: installs }));
    expect(report.json()).toEqual({ status: 'success', counted: 0 });
  },
);

it.each(['core~dev', 'core'])('a deleted %s.json that is put back returns its versions to lists', async (document) => {
  const label = document === 'core' ? '1.0.0' : 'dev-main';
  const limited = await create({ constraints: { '*': label } });
  const listed = async (): Promise<unknown> =>
    ((await get('/search.json?q=', limited)).json()['results'] as { name: string }[]).map(({ name }) => name);
  const file = join(registry.data, `public/p2/acme/${document}.json`);
  const [whole, { mtime }] = [readFileSync(file), statSync(file)];
  rmSync(file);
  expect(await listed()).not.toContain('acme/core');
  writeFileSync(file, whole);
  utimesSync(file, mtime, mtime);
  expect(await listed()).toContain('acme/core');
});

it('a token that sees a version of a damaged document gets the error', async () => {
  const token = await create({ constraints: { '*': '<2.0 || dev-main' } });
  const path = 'public/p2/acme/core~dev.json';
  const whole = readFileSync(join(registry.data, path));
  const asked = ['/p2/acme/core~dev.json', '/api/packages/acme/core', '/api/packages/acme/core/statistics'];
  const codes = () => Promise.all(asked.map(async (one) => (await get(one, token)).json()['code']));
  await write(path, '{"packages": {}}');
  expect(await codes()).toEqual(asked.map(() => 'TREE_DAMAGED'));
  expect((await get('/p2/acme/core.json', token)).status).toBe(200);
  await write(path, whole);
  expect(await codes()).toEqual(asked.map(() => undefined));
});

it('a lost document is no empty one while the index of its package is damaged', async () => {
  const [all, whole, limited, other] = [
    await create({}),
    await create({ packages: ['acme/*'] }),
    await create({ stability: 'stable' }),
    await create({ packages: ['acme/late'] }),
  ];
  const answer = async (path: string, token: string): Promise<unknown> => {
    const reply = await get(`/p2/acme/${path}.json`, token);
    return [reply.status, reply.json()['code']];
  };
  await write('index/acme/core.json', '{');
  await write('index/acme/onlydev.json', '{');
  expect(await answer('core~dev', limited)).toEqual([200, undefined]);
  for (const path of ['core', 'onlydev~dev']) rmSync(join(registry.data, `public/p2/acme/${path}.json`));
  await write('index/acme/late.json', readFileSync(join(registry.data, 'index/acme/late.json')));
  for (const path of ['core', 'onlydev~dev', 'onlydev'])
    for (const token of [all, whole]) expect(await answer(path, token), path).toEqual([500, 'TREE_DAMAGED']);
  for (const path of ['core', 'onlydev~dev']) expect(await answer(path, other), path).toEqual([404, 'NOT_FOUND']);
  expect(await answer('onlydev~dev', limited)).toEqual([404, 'NOT_FOUND']);
});
