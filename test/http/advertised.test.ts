// Tests the further fields of packages.json: defaults, settings, and that clients notice a change.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';

let registry: RunningManagement;
let sources: TemporaryTree;
let reader: string;
let admin: string;

beforeAll(async () => {
  registry = await runManagement();
  [reader, admin] = [await registry.createToken('read'), (await registry.signIn('admin')).token];
  sources = temporaryTree(below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })));
  const { exitCode, stderr } = await runCli(['build', 'src', '--data', registry.data], { cwd: sources.root });
  if (exitCode !== 0) throw new Error(stderr);
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

const get = (headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  registry.proxy.get('/packages.json', { authorization: `Bearer ${reader}`, ...headers });
const set = (body: unknown): Promise<Reply> => registry.call('PATCH', '/api/settings', { as: admin, body });
const modified = async (): Promise<number> => Date.parse((await get()).headers['last-modified'] ?? '');

const services = {
  search: '/search.json?q=%query%&type=%type%',
  list: '/list.json',
  'providers-api': '/providers/%package%.json',
  'notify-batch': '/downloads',
};

describe('packages.json', () => {
  it('packages.json offers every service by default, with the fields of the build', async () => {
    const json = (await get()).json();
    expect(json).toMatchObject({
      ...services,
      'available-packages': ['acme/hello'],
      'metadata-url': '/p2/%package%$%hash%.json',
    });
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(['warnings']));
  });

  it('packages.json offers the services of the setting at once, and clients that ask by date notice the change', async () => {
    const first = await get();
    expect((await set({ advertise: ['notify-batch', 'search'] })).status).toBe(200);
    const second = await get({ 'if-modified-since': first.headers['last-modified'] ?? '' });
    expect(second.status).toBe(200);
    expect(Object.keys(second.json()).filter((key) => key in services)).toEqual(['search', 'notify-batch']);
    expect((await get({ 'if-modified-since': second.headers['last-modified'] ?? '' })).status).toBe(304);
    await set({ advertise: [] });
    const none = await get({ 'if-modified-since': second.headers['last-modified'] ?? '' });
    expect(Object.keys(none.json()).filter((key) => key in services)).toEqual([]);
    await set({ advertise: null });
    expect((await get({ 'if-modified-since': none.headers['last-modified'] ?? '' })).json()).toMatchObject(services);
    expect((await get()).headers['last-modified']).toBe(first.headers['last-modified']);
  });

  it('packages.json has warnings and notices that depend on the version of Composer', async () => {
    const before = await modified();
    const notices = {
      warnings: [{ versions: '<2.5', message: 'Please update Composer.' }],
      infos: [
        { versions: '*', message: 'Maintenance on Sunday.' },
        { versions: '>=2.9', message: 'Thanks.' },
      ],
    };
    expect((await set(notices)).status).toBe(200);
    expect((await get()).json()).toMatchObject(notices);
    expect(await modified()).not.toBe(before);
    await set({ warnings: null, infos: null });
    expect(await modified()).toBe(before);
  });

  it('packages.json never contains a field that would end every run of a client', async () => {
    const wrong = [
      { warnings: [{ message: 'no versions' }] },
      { warnings: [{ versions: 'not a constraint!', message: 'x' }] },
      { warnings: [{ versions: '', message: 'x' }] },
      { warnings: [{ versions: '*', message: '' }] },
      { warnings: [{ versions: '*', message: 'two\nlines' }] },
      { warnings: [{ versions: '*', message: '\u001b[2J' }] },
      { warnings: [{ versions: '*', message: 'x', more: true }] },
      { infos: Array.from({ length: 21 }, () => ({ versions: '*', message: 'x' })) },
      { infos: 'text' },
      { advertise: ['search', 'search'] },
      { advertise: ['everything'] },
      { advertise: 'search' },
    ];
    for (const body of wrong) {
      const reply = await set(body);
      expect([reply.status, reply.json()['code']], JSON.stringify(body).slice(0, 80)).toEqual([400, 'INVALID_INPUT']);
    }
    expect((await get()).json()).toMatchObject(services);
  });
});
