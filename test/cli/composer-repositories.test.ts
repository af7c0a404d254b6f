// Tests the Composer repositories of libretto.json with the compiled program: the requests to them, the fetches of
// builds, the answers while they are down, and the owner of a name. registered-composer-repositories.series.test.ts has
// the registered ones.

import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { composerWorkspace, versionsIn, type ComposerWorkspace, type Json } from '../util/composer-workspace.ts';
import { itInSeries } from '../util/series.ts';

interface BuildJson extends Json {
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
}

let workspace: ComposerWorkspace;
beforeEach(() => {
  workspace = composerWorkspace();
});
afterEach(() => workspace[Symbol.asyncDispose]());

describe('a Composer repository of libretto.json', () => {
  it('is fetched by a build for its listed packages, which are served while the repository is stopped', async () => {
    const upstream = await workspace.upstreamWith(
      { 'tools/one': ['1.0.0', '1.1.0', '2.0.0'], 'tools/two': ['1.0.0'], 'others/no': ['1.0.0'] },
      { minified: true },
    );
    workspace.configure({ url: upstream.url, only: ['tools/*'], packages: { 'tools/one': '^1.0' } });
    const built = await workspace.run(['build']);
    expect([built.exitCode, built.stderr]).toEqual([
      0,
      `${upstream.url}: 2 archives fetched in advance, 0 already stored.`,
    ]);
    expect(built.stdout).toContain('Published: 1 added');
    const asked = upstream.server.requests.length;
    expect((await workspace.run(['build'])).stderr, 'another build asks whether there is something new').toBe(
      `${upstream.url}: 0 archives fetched in advance, 2 already stored.`,
    );
    expect([upstream.server.requests.length > asked, upstream.asked('/files/tools/one')]).toEqual([true, 2]);

    const get = await workspace.serve();
    expect(await (await get('/packages.json')).json()).toMatchObject({
      'available-packages': ['acme/app'],
      'available-package-patterns': ['*'],
    });
    await workspace.stop(upstream);
    const document = await get('/p2/tools/one.json');
    expect(await versionsIn(document, 'tools/one')).toHaveLength(3);
    const archives = (await workspace.json('mirror', 'list'))['archives'] as {
      version: string;
      shasum: string;
      reference: string;
    }[];
    expect(archives.map(({ version }) => version).sort()).toEqual(['1.0.0', '1.1.0']);
    const newest = archives.find(({ version }) => version === '1.1.0');
    const archive = await get(`/dist/tools/one/1.1.0.zip?ref=${newest?.reference ?? ''}`);
    expect(archive.status).toBe(200);
    expect((await get('/p2/others/no.json')).status, 'a name that "only" leaves out').toBe(404);
    expect(upstream.asked('/p2/others')).toBe(0);
  });

  itInSeries('may be the only source, and then the registry publishes no packages of its own', async () => {
    const upstream = await workspace.upstreamWith({ 'tools/one': ['1.0.0'] });
    writeFileSync(
      workspace.folder.at('libretto.json'),
      JSON.stringify({
        data: 'data',
        egress: { allow: ['127.0.0.0/8'] },
        sources: [{ type: 'composer', url: upstream.url }],
      }),
    );
    for (const headline of [/^Published: 0 added/, /^Nothing has changed/])
      expect(await workspace.run(['build'])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(headline) as string,
        stderr: '',
      });
    const get = await workspace.serve();
    expect(await (await get('/packages.json')).json()).toMatchObject({
      'available-package-patterns': expect.arrayContaining(['*']) as string[],
    });
    expect(await versionsIn(await get('/p2/tools/one.json'), 'tools/one')).toEqual(['1.0.0']);
    expect(workspace.said()).toContain(
      'This registry has no packages of its own. It mirrors those of other repositories.',
    );
    expect(workspace.said()).not.toContain('libretto build');
  });

  itInSeries(
    'may be replaced by the public registry: one build without sources, and no request for another build',
    async () => {
      const upstream = await workspace.upstreamWith({ 'tools/one': ['1.0.0'] });
      writeFileSync(
        workspace.folder.at('libretto.json'),
        JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }),
      );
      expect((await workspace.run(['build'])).stderr).toContain('There is nothing to build.');
      for (const [key, value] of [
        ['mirroring.enabled', 'true'],
        ['mirroring.url', upstream.url],
      ] as const)
        expect(await workspace.run(['settings', 'set', key, value])).toMatchObject({ exitCode: 0 });
      expect(await workspace.run(['build'])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^Published: 0 added/) as string,
        stderr: '',
      });
      const get = await workspace.serve();
      expect(await versionsIn(await get('/p2/tools/one.json'), 'tools/one')).toEqual(['1.0.0']);
      expect(workspace.said()).toContain('It mirrors those of other repositories.');
      expect((await workspace.run(['doctor'])).stdout).not.toContain('libretto build');
    },
  );

  itInSeries('fails like a source: the failure is reported, and the published versions stay', async () => {
    const upstream = await workspace.upstreamWith({ 'tools/one': ['1.0.0'] });
    workspace.configure({ url: upstream.url, packages: { 'tools/one': '^1.0', 'tools/none': '*', 'acme/own': '*' } });
    const first = await workspace.run(['build', '--json']);
    expect(first.exitCode).toBe(1);
    const { published, failed } = JSON.parse(first.stdout) as BuildJson & { published: boolean };
    expect(published).toBe(true);
    expect(failed).toEqual([
      { source: upstream.url, reason: 'tools/none: no version that is offered matches *.' },
      {
        source: upstream.url,
        reason:
          'acme/own: it is not mirrored: the vendor acme has private packages, and is not listed in mirroring.shared_vendors.',
      },
    ]);
    expect(upstream.server.requests.some(({ path }) => path.includes('acme'))).toBe(false);
    upstream.failing.status = 500;
    const second = await workspace.run(['build']);
    expect([second.exitCode, second.stderr]).toEqual([
      1,
      expect.stringMatching(/tools\/one: its repository cannot be reached; the document of .* is still served\./),
    ]);
  });

  it('is requested before the registries behind it, and never for a private name', async () => {
    const [first, second] = [
      await workspace.upstreamWith({ 'tools/one': ['1.0.0'] }),
      await workspace.upstreamWith({
        'tools/one': ['9.0.0'],
        'tools/more': ['1.0.0'],
        'acme/app': ['99.0.0'],
        'acme/lure': ['1.0.0'],
      }),
    ];
    workspace.configure({ url: first.url, only: ['tools/one', 'acme/*'] }, { url: second.url });
    expect((await workspace.run(['build'])).exitCode).toBe(0);
    const get = await workspace.serve();
    expect(await versionsIn(await get('/p2/tools/one.json'), 'tools/one')).toEqual(['1.0.0']);
    expect(await versionsIn(await get('/p2/tools/more.json'), 'tools/more')).toEqual(['1.0.0']);
    expect(await versionsIn(await get(`/p2/acme/app.json`), 'acme/app')).toEqual(['1.0.0']);
    for (const path of ['/p2/acme/lure.json', '/dist/acme/app/99.0.0.zip', '/dist/acme/lure/1.0.0.zip'])
      expect((await get(path)).status, path).toBe(404);
    expect(await (await get('/p2/acme/app~dev.json')).json()).toEqual({ packages: { 'acme/app': {} } });
    for (const { server } of [first, second])
      expect(server.requests.filter(({ path }) => path.includes('acme'))).toEqual([]);
    expect(second.asked('/p2/tools/one')).toBe(0);
  });

  it.each([
    ['bearer', { bearer: 'sesame' }, { authorization: 'Bearer sesame' }],
    [
      'http-basic',
      { 'http-basic': { username: 'me', password: 'sesame' } },
      { authorization: `Basic ${Buffer.from('me:sesame').toString('base64')}` },
    ],
    [
      'custom-headers',
      { 'custom-headers': ['PRIVATE-TOKEN: sesame', 'X-Team: one'] },
      { 'private-token': 'sesame', 'x-team': 'one' },
    ],
  ])('is requested with the %s of COMPOSER_AUTH, and no other host is', async (_kind, auth, headers) => {
    const [upstream, elsewhere] = [
      await workspace.upstreamWith({}),
      await workspace.upstreamWith({ 'tools/one': ['1.0.0'] }),
    ];
    const zip = `${elsewhere.url}/files/tools/one/1.0.0/`;
    upstream.put('tools/one', [
      { version: '1.0.0', shasum: '', distUrl: `${zip}${elsewhere.server.requests.length}.zip` },
    ]);
    elsewhere.instead(`/files/tools/one/1.0.0/0.zip`, (_request, response) => void response.writeHead(404).end());
    workspace.configure({ url: upstream.url, packages: { 'tools/one': '*' } });
    const composerAuth = JSON.stringify(
      Object.fromEntries(Object.entries(auth).map(([kind, value]) => [kind, { [upstream.server.host]: value }])),
    );
    expect((await workspace.run(['build'], { COMPOSER_AUTH: composerAuth })).exitCode).toBe(1);
    for (const request of upstream.server.requests) expect(request.headers).toMatchObject(headers);
    expect(upstream.server.requests.length).toBeGreaterThan(1);
    expect(elsewhere.server.requests.map(({ path }) => path)).toEqual(['/files/tools/one/1.0.0/0.zip']);
    expect(JSON.stringify(elsewhere.server.requests)).not.toMatch(/sesame|x-team/i);
  });

  it('is refused with credentials in its address, with fields of other sources, and when it is listed twice', async () => {
    const refusal = async (...composer: readonly Json[]): Promise<string> => {
      workspace.configure(...composer);
      const { exitCode, stderr } = await workspace.run(['build']);
      expect(exitCode).toBe(2);
      return stderr;
    };
    const secret = await refusal({ url: 'https://me:sesame@repo.example.org' });
    expect(secret).toContain('COMPOSER_AUTH');
    expect(secret).not.toContain('sesame');
    expect(await refusal({ url: 'https://repo.example.org', branches: ['main'] })).toContain(
      'is a field of git sources',
    );
    expect(await refusal({ url: 'https://repo.example.org', packages: { 'tools/*': '^1.0' } })).toContain(
      'sources[1].packages["tools/*"]',
    );
    expect(await refusal({ url: 'https://repo.example.org', packages: { 'tools/one': '^^1' } })).toContain(
      'is not a valid version constraint',
    );
    expect(
      await refusal(
        { url: 'https://repo.example.org', packages: {} },
        { url: 'https://repo.example.org/packages.json', packages: {} },
      ),
    ).toContain('twice, as sources[1] and sources[2]');
  });
});
