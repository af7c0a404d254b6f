// Tests packages over HTTP on a tree that the real builder built.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../../proxy/state/audit.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../util/package-tree.ts';
import { publishedVersions } from '../../util/published-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let sources: TemporaryTree;
const as: Record<'reader' | 'writer' | 'viewer' | 'maintainer', string> = {
  reader: '',
  writer: '',
  viewer: '',
  maintainer: '',
};

const build = async (...flags: readonly string[]): Promise<void> => {
  const { exitCode, stderr } = await runCli(['build', ...flags, '--data', registry.data], { cwd: sources.root });
  if (exitCode > 1) throw new Error(stderr);
};

beforeAll(async () => {
  registry = await runManagement();
  [as.reader, as.writer] = [await registry.createToken('read'), await registry.createToken('write')];
  [as.viewer, as.maintainer] = [(await registry.signIn('viewer')).token, (await registry.signIn('maintainer')).token];
  sources = temporaryTree({
    ...below('src/hello-1', {
      ...libraryTree('acme/hello', {
        version: '1.0.0',
        keywords: ['greeting'],
        homepage: 'https://example.org/hello',
        support: { issues: 'https://example.org/issues', chat: 'javascript:alert(1)', email: 'a@example.org' },
      }),
      'README.md': '# One',
      'CHANGELOG.md': '- first',
    }),
    ...below('src/hello-2', {
      ...libraryTree('acme/hello', {
        version: '1.1.0',
        description: 'Says hello politely.',
        keywords: ['greeting'],
        homepage: 'https://example.org/hello',
        support: { issues: 'https://example.org/issues', chat: 'javascript:alert(1)', email: 'a@example.org' },
      }),
      'README.md': '# Two <script>alert(1)</script>',
    }),
    ...below('src/hello-x', libraryTree('acme/hello', { version: 'dev-feature/x' })),
    ...below('src/hello-bad', libraryTree('acme/hello', { version: 'no version' })),
    ...below(
      'src/user',
      libraryTree('acme/user', { version: '2.0.0', type: 'project', require: { 'acme/hello': '^1.0', php: '>=8.1' } }),
    ),
    ...below('src/other', libraryTree('other/tool', { version: '3.0.0', abandoned: 'acme/hello' })),
  });
  await build('src');
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

const get = (path: string, who: string = as.reader): Promise<Reply> => registry.call('GET', path, { as: who });
const namesOf = async (query: string): Promise<readonly string[]> =>
  ((await get(`/api/packages${query}`)).json()['data'] as { name: string }[]).map(({ name }) => name);
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code']];

describe('GET /api/packages', () => {
  it('packages are listed with the fields of a list', async () => {
    const { data, next_cursor: next } = (await get('/api/packages')).json() as {
      data: Record<string, unknown>[];
      next_cursor: unknown;
    };
    expect(next).toBeNull();
    expect(
      data.map(({ name, type, latest_version, versions, abandoned }) => [
        name,
        type,
        latest_version,
        versions,
        abandoned,
      ]),
    ).toEqual([
      ['acme/hello', 'library', '1.1.0', 3, false],
      ['acme/user', 'project', '2.0.0', 1, false],
      ['other/tool', 'library', '3.0.0', 1, 'acme/hello'],
    ]);
    expect(data[0]).toMatchObject({ description: 'Says hello politely.', keywords: ['greeting'], downloads: 0 });
  });

  it('the search covers name, description and keywords, and can be limited to type and vendor', async () => {
    expect(await namesOf('?search=POLITELY')).toEqual(['acme/hello']);
    expect(await namesOf('?search=greeting%20hello')).toEqual(['acme/hello']);
    expect(await namesOf('?search=greeting%20tool')).toEqual([]);
    expect(await namesOf('?type=project')).toEqual(['acme/user']);
    expect(await namesOf('?vendor=acme')).toEqual(['acme/hello', 'acme/user']);
  });

  it('the list is read in pages, in any order', async () => {
    for (const sort of ['name', 'updated', 'downloads']) {
      const seen: string[] = [];
      let cursor: unknown;
      do {
        const reply = (
          await get(`/api/packages?sort=${sort}&limit=1${cursor === undefined ? '' : `&cursor=${String(cursor)}`}`)
        ).json() as { data: { name: string }[]; next_cursor: unknown };
        seen.push(...reply.data.map(({ name }) => name));
        cursor = reply.next_cursor;
      } while (cursor !== null);
      expect(seen.toSorted(), sort).toEqual(['acme/hello', 'acme/user', 'other/tool']);
      if (sort !== 'name') expect(seen, sort).toEqual(['other/tool', 'acme/user', 'acme/hello']);
    }
  });

  it('unknown parameters and unauthenticated callers are refused', async () => {
    for (const query of ['?sort=size', '?limit=0', '?q=x', '?cursor=!'])
      expect(codeOf(await get(`/api/packages${query}`)), query).toEqual([400, 'INVALID_INPUT']);
    expect(codeOf(await registry.call('GET', '/api/packages'))).toEqual([401, 'AUTHENTICATION_REQUIRED']);
  });
});

describe('GET /api/packages/{vendor}/{package}', () => {
  it('the answer has the versions, newest first, the links and the dependents', async () => {
    const hello = (await get('/api/packages/acme/hello')).json() as { versions: Record<string, unknown>[] };
    expect(hello).toMatchObject({
      name: 'acme/hello',
      license: ['MIT'],
      links: {
        homepage: 'https://example.org/hello',
        issues: 'https://example.org/issues',
        email: 'mailto:a@example.org',
      },
      dependents: ['acme/user'],
    });
    expect(
      hello.versions.map(({ version, stability, readme, changelog }) => [version, stability, readme, changelog]),
    ).toEqual([
      ['1.1.0', 'stable', true, false],
      ['1.0.0', 'stable', true, true],
      ['dev-feature/x', 'dev', false, false],
    ]);
    const { reference, shasum } = publishedVersions(registry.data)['acme/hello@1.1.0'] ?? {};
    expect(hello.versions[0]).toMatchObject({ reference, shasum, time: null });
    expect(JSON.stringify(hello)).not.toContain('javascript:');
    const user = (await get('/api/packages/acme/user')).json() as { versions: Record<string, unknown>[] };
    expect(user.versions[0]).toMatchObject({ requires: { 'acme/hello': '^1.0', php: '>=8.1' } });
  });

  it('the answer has source and excluded versions, except for read tokens', async () => {
    for (const who of [as.viewer, as.writer]) {
      const hello = (await get('/api/packages/acme/hello', who)).json();
      expect(hello['sources']).toEqual([
        { id: expect.any(String) as string, location: expect.stringMatching(/src$/) as string },
      ]);
      expect(hello['quarantined']).toMatchObject([{ code: 'VERSION_INVALID' }]);
    }
    const reply = await get('/api/packages/acme/hello');
    expect([
      reply.json()['sources'],
      reply.json()['quarantined'],
      /src-|libretto-tree/.test(reply.body.toString()),
    ]).toEqual([null, null, false]);
  });

  it('an unknown package is 404', async () => {
    for (const path of ['acme/none', 'acme/-', 'a..b/x', 'acme/none/readme', 'acme/none/statistics'])
      expect(codeOf(await get(`/api/packages/${path}`)), path).toEqual([404, 'NOT_FOUND']);
  });

  it.each([
    '/api/packages/../users',
    '/api/packages/%2e%2e/users',
    '/api/packages/.%2E/users',
    '/api/packages/x/../users',
    '/api/packages/..\\users/x',
    '/api/packages/./users',
  ])('the path %s does not reach other routes', async (path) => {
    const reply = await registry.proxy.send('GET', path, { authorization: `Bearer ${as.reader}` });
    expect(codeOf(reply)).toEqual([404, 'NOT_FOUND']);
  });

  it('a publication is visible with the next request', async () => {
    sources.write(below('src/new', libraryTree('acme/new', { version: '1.0.0', require: { 'other/tool': '*' } })));
    await build();
    expect(await namesOf('?vendor=acme')).toContain('acme/new');
    expect((await get('/api/packages/other/tool')).json()['dependents']).toEqual(['acme/new']);
  });
});

describe('README and CHANGELOG', () => {
  it('are served as written and as inert HTML, for the latest or a given version', async () => {
    const latest = await get('/api/packages/acme/hello/readme');
    expect(latest.json()).toEqual({
      version: '1.1.0',
      markdown: '# Two <script>alert(1)</script>',
      html: '<h1 id="text-two-alert1">Two &lt;script&gt;alert(1)&lt;/script&gt;</h1>\n',
      html_truncated: false,
      truncated: false,
    });
    expect(latest.headers['content-security-policy']).toContain("default-src 'none'");
    expect(latest.headers['x-content-type-options']).toBe('nosniff');
    expect((await get('/api/packages/acme/hello/readme?version=1.0.0')).json()).toMatchObject({
      version: '1.0.0',
      html: '<h1 id="text-one">One</h1>\n',
    });
    expect((await get('/api/packages/acme/hello/changelog?version=1.0.0.0')).json()).toMatchObject({
      version: '1.0.0',
      markdown: '- first',
    });
  });

  it('are 404 where there is none, with a message that names the missing text', async () => {
    for (const path of ['changelog', 'readme?version=9.0.0', 'readme?version=dev-feature/x'])
      expect(codeOf(await get(`/api/packages/acme/hello/${path}`)), path).toEqual([404, 'NOT_FOUND']);
    expect((await get('/api/packages/acme/hello/changelog')).json()['error']).toContain('CHANGELOG');
  });
});

describe('GET /api/packages/{vendor}/{package}/statistics', () => {
  it('the statistics count sent archives, and nothing else', async () => {
    const dist = '/dist/acme/hello/1.1.0.zip';
    const first = await get(dist);
    await get(dist);
    await get('/dist/acme/hello/dev-feature/x.zip');
    await registry.call('HEAD', dist, { as: as.reader });
    await registry.proxy.send('GET', dist, {
      authorization: `Bearer ${as.reader}`,
      'if-none-match': String(first.headers['etag']),
    });
    await get('/p2/acme/hello.json');
    const today = new Date().toISOString().slice(0, 10);
    expect((await get('/api/packages/acme/hello/statistics')).json()).toEqual({
      total: 3,
      versions: { '1.1.0': 2, 'dev-feature/x': 1 },
      days: [{ date: today, downloads: 3, versions: { '1.1.0': 2, 'dev-feature/x': 1 } }],
      installs: { total: 0, versions: {}, days: [] },
    });
    expect((await namesOf('?sort=downloads'))[0]).toBe('acme/hello');
    expect((await get('/api/packages/acme/hello')).json()['downloads']).toBe(3);
    expect(codeOf(await get('/api/packages/acme/hello/statistics?days=5000'))).toEqual([400, 'INVALID_INPUT']);
  });
});

describe('DELETE /api/packages/{vendor}/{package}/versions/{version}', () => {
  const withdraw = (version: string, who = as.maintainer): Promise<Reply> =>
    registry.call('DELETE', `/api/packages/acme/hello/versions/${version}`, { as: who });

  it('a version or a package that is unknown is 404', async () => {
    expect(codeOf(await withdraw('9.9.9'))).toEqual([404, 'NOT_FOUND']);
    expect(
      codeOf(await registry.call('DELETE', '/api/packages/acme/none/versions/1.0.0', { as: as.maintainer })),
    ).toEqual([404, 'NOT_FOUND']);
  });

  it('no version is taken for a flag of the command line', async () => {
    for (const version of ['--config=x', '--help', '-h', '--'])
      expect([version, codeOf(await withdraw(version))]).toEqual([version, [404, 'NOT_FOUND']]);
  });

  it('a version is withdrawn permanently, once, with the name of the actor', async () => {
    const replies = await Promise.all([withdraw('dev-feature%2Fx'), withdraw('dev-feature%2Fx')]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[0]?.json()).toEqual(replies[1]?.json());
    expect(replies[0]?.json()).toMatchObject({
      name: 'acme/hello',
      version: 'dev-feature/x',
      withdrawn_by: expect.stringMatching(/^user:usr_/) as string,
    });
    expect((await withdraw('dev-feature%2Fx')).json()).toEqual(replies[0]?.json());
    await build();
    expect(Object.keys(publishedVersions(registry.data))).not.toContain('acme/hello@dev-feature/x');
    expect((await get('/p2/acme/hello~dev.json')).json()).toEqual({ packages: { 'acme/hello': {} } });
    expect((await get('/dist/acme/hello/dev-feature/x.zip')).status).toBe(200);
    expect(
      ((await get('/api/packages/acme/hello')).json()['versions'] as { version: string }[]).map(
        ({ version }) => version,
      ),
    ).toEqual(['1.1.0', '1.0.0']);
    const events = (await registry.state.range('audit/event/')).map(
      ({ value }) => value as { action: string; subject: string },
    );
    expect(events.filter(({ action }) => action === 'package.withdraw')).toMatchObject([
      { subject: 'acme/hello', details: { version: 'dev-feature/x' } },
    ]);
    expect(await verifyAudit(registry.state)).toMatchObject({ sound: true });
  });

  it('the list of withdrawn versions has the version', () => {
    expect(existsSync(join(registry.data, 'index/_withheld.json'))).toBe(true);
    expect(JSON.parse(readFileSync(join(registry.data, 'index/_withheld.json'), 'utf8'))).toMatchObject({
      versions: [{ name: 'acme/hello', version: 'dev-feature/x' }],
    });
  });
});
