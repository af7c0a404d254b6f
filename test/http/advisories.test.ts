// Tests the answers to `composer audit` and Composer's policies: advisories and filter lists of the packages that the
// token sees, and of no others.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';

const advisory = (packageName: string, advisoryId: string) => ({
  advisoryId,
  packageName,
  affectedVersions: '<1.1',
  title: 'Greets everybody',
  reportedAt: '2026-03-01T12:00:00+00:00',
});

let registry: RunningManagement;
let sources: TemporaryTree;
let reader: string;
let limited: string;

const build = async (): Promise<void> => {
  const { exitCode, stderr } = await runCli(['build', '--data', registry.data], { cwd: sources.root });
  if (exitCode !== 0) throw new Error(stderr);
};

beforeAll(async () => {
  registry = await runManagement();
  reader = await registry.createToken('read');
  const made = await registry.call('POST', '/api/tokens', {
    as: (await registry.signIn('admin')).token,
    body: { kind: 'read', description: 'limited', packages: ['acme/other', 'acme/unpublished'] },
  });
  limited = String(made.json()['secret'] ?? made.json()['token']);
  sources = temporaryTree({
    ...below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })),
    ...below('src/other', libraryTree('acme/other', { version: '1.0.0' })),
    'libretto.json': {
      json: {
        sources: ['src/hello', 'src/other'],
        advisories: 'advisories.json',
        filters: {
          malware: [
            { package: 'acme/other', constraint: '1.0.0', reason: 'It phones home' },
            { package: 'acme/other', constraint: '2.*' },
            { package: 'acme/hello', constraint: '9.9.9' },
          ],
        },
      },
    },
    'advisories.json': {
      json: [
        advisory('acme/hello', 'A-1'),
        advisory('acme/hello', 'A-2'),
        advisory('acme/other', 'A-3'),
        advisory('acme/unpublished', 'A-4'),
      ],
    },
  });
  await build();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const ask = (body: string, token = reader): Promise<Reply> =>
  registry.proxy.send('POST', '/security-advisories', { ...form, authorization: `Bearer ${token}` }, body);
const askFilters = (body: object, token = reader): Promise<Reply> =>
  registry.proxy.send(
    'POST',
    '/filters',
    { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    JSON.stringify(body),
  );
const get = (path: string, token = reader): Promise<Reply> =>
  registry.proxy.get(path, { authorization: `Bearer ${token}` });
const idsOf = (reply: Reply): unknown =>
  Object.fromEntries(
    Object.entries(reply.json()['advisories'] as Record<string, readonly { advisoryId: string }[]>).map(
      ([name, list]) => [name, list.map(({ advisoryId }) => advisoryId)],
    ),
  );

describe('/security-advisories', () => {
  it('a form of Composer gets the advisories of the packages that it names, and no others', async () => {
    const reply = await ask('packages%5B0%5D=acme%2Fhello&packages%5B1%5D=psr%2Flog');
    expect([reply.status, idsOf(reply)]).toEqual([200, { 'acme/hello': ['A-1', 'A-2'] }]);
    expect(reply.json()['advisories']).toMatchObject({
      'acme/hello': [
        { packageName: 'acme/hello', affectedVersions: '<1.1', sources: [{ name: 'libretto', remoteId: 'A-1' }] },
        {},
      ],
    });
  });

  it('a GET gets the same advisories, also of packages that are not published here', async () => {
    expect(idsOf(await get('/security-advisories?packages[]=acme/other&packages[]=acme/unpublished'))).toEqual({
      'acme/other': ['A-3'],
      'acme/unpublished': ['A-4'],
    });
  });

  it('the answer has no advisory of a package that is hidden from the token', async () => {
    expect(
      idsOf(await ask('packages[]=acme/hello&packages[]=acme/other&packages[]=acme/unpublished', limited)),
    ).toEqual({ 'acme/other': ['A-3'], 'acme/unpublished': ['A-4'] });
  });

  it('the next publication changes the answer', async () => {
    writeFileSync(
      join(sources.root, 'advisories.json'),
      JSON.stringify([
        advisory('acme/hello', 'A-1'),
        advisory('acme/other', 'A-3'),
        advisory('acme/unpublished', 'A-4'),
      ]),
    );
    await build();
    expect(idsOf(await ask('packages[]=acme/hello'))).toEqual({ 'acme/hello': ['A-1'] });
  });

  it.each([
    ['names nothing', 'packages=', form, 200],
    ['is empty', '', form, 400],
    ['is something else', '{}', { 'content-type': 'application/json' }, 400],
    ['names too many', Array.from({ length: 5001 }, (_, at) => `packages[]=acme/p${at}`).join('&'), form, 400],
    ['is too large', `packages[]=${'x'.repeat(600_000)}`, form, 400],
  ])('a body that %s gets the expected status', async (_, body, headers, status) => {
    expect(
      (
        await registry.proxy.send(
          'POST',
          '/security-advisories',
          { ...headers, authorization: `Bearer ${reader}` },
          body,
        )
      ).status,
    ).toBe(status);
  });

  it('the route requires a token and allows no other method', async () => {
    expect((await registry.proxy.send('POST', '/security-advisories', form, 'packages[]=acme/hello')).status).toBe(401);
    const deleted = await registry.proxy.send('DELETE', '/security-advisories', { authorization: `Bearer ${reader}` });
    expect([deleted.status, deleted.json()['code'], deleted.headers['allow']]).toEqual([
      400,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD, POST',
    ]);
  });
});

describe('/filters', () => {
  it('the answer has the requested packages and lists', async () => {
    const reply = await askFilters({
      packages: ['pkg://composer/acme/other', 'pkg:composer/psr/log'],
      lists: ['malware', 'unknown'],
    });
    expect([reply.status, reply.json()]).toEqual([
      200,
      {
        filter: {
          malware: [
            { package: 'acme/other', constraint: '1.0.0', reason: 'It phones home' },
            { package: 'acme/other', constraint: '2.*' },
          ],
        },
      },
    ]);
  });

  it('the summary covers all packages that the token sees', async () => {
    expect((await get('/filters/summary.json')).json()).toEqual({
      filter: { malware: { 'acme/hello': '9.9.9', 'acme/other': '1.0.0 || 2.*' } },
    });
    expect((await get('/filters/summary.json', limited)).json()).toEqual({
      filter: { malware: { 'acme/other': '1.0.0 || 2.*' } },
    });
    expect((await askFilters({ packages: ['pkg://composer/acme/hello'], lists: ['malware'] }, limited)).json()).toEqual(
      { filter: { malware: [] } },
    );
  });

  it.each([[{ packages: 'acme/other', lists: [] }], [{ packages: [] }], [{ packages: [5], lists: ['malware'] }]])(
    'the request %j is refused',
    async (body) => {
      expect((await askFilters(body)).json()).toMatchObject({ code: 'INVALID_INPUT' });
    },
  );
});

describe('packages.json', () => {
  const rootAs = async (userAgent: string): Promise<Record<string, unknown>> =>
    (await registry.proxy.get('/packages.json', { authorization: `Bearer ${reader}`, 'user-agent': userAgent })).json();

  it('packages.json names the routes, except to a Composer that would read a file there', async () => {
    for (const userAgent of [
      'Composer/2.7.0 (Linux; 6.1; PHP 8.2.7; cURL 7.88.1)',
      'curl/8',
      'Composer/2.10.2 (Linux)',
    ]) {
      expect(await rootAs(userAgent)).toMatchObject({
        'security-advisories': { metadata: true, 'api-url': '/security-advisories' },
        filter: { metadata: true, 'summary-url': '/filters/summary.json', 'api-url': '/filters' },
      });
    }
    expect((await rootAs('Composer/2.5.5 (Linux; 6.1; PHP 8.2.7)'))['security-advisories']).toEqual({ metadata: true });
  });

  it('packages.json has another Last-Modified for each of them, so that an upgraded Composer gets no 304', async () => {
    const dates = await Promise.all(
      ['Composer/2.5.5 (Linux)', 'Composer/2.8.0 (Linux)'].map(
        async (agent) =>
          (await registry.proxy.get('/packages.json', { authorization: `Bearer ${reader}`, 'user-agent': agent }))
            .headers['last-modified'],
      ),
    );
    expect(new Set(dates).size).toBe(2);
  });
});
