// Tests published advisories with the real Composer: `composer audit` and the audit after an update, through documents
// alone and through the registry's own answers.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, isComposerFrom, type Project } from '../util/composer.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

/** Composer 2.10 refuses packages in advisories and filter lists; older versions do not have the setting. */
const mayInstall = { advisories: { block: false }, malware: { block: false } };
const advisory = {
  advisoryId: 'ACME-2026-1',
  packageName: 'acme/hello',
  affectedVersions: '<1.1.0',
  title: 'Greets everybody',
  cve: 'CVE-2026-0001',
  link: 'https://acme.example/1',
  severity: 'high',
  reportedAt: '2026-03-01T12:00:00+00:00',
};

describe.skipIf(lacks('composer', 'php'))('advisories', () => {
  const source = temporaryTree({
    ...below('packages/hello-1', whoLibrary('acme/hello', '1.0.0')),
    ...below('packages/hello-2', whoLibrary('acme/hello', '1.1.0')),
    ...below('packages/other', whoLibrary('acme/other', '1.0.0')),
    'advisories.json': { json: [advisory] },
  });
  let registry: Registry;

  const configure = (more: object = {}): void =>
    writeFileSync(
      join(source.root, 'libretto.json'),
      JSON.stringify({
        sources: ['packages/hello-1', 'packages/hello-2', 'packages/other'],
        advisories: 'advisories.json',
        filters: { malware: [{ package: 'acme/other', constraint: '1.0.0', reason: 'It phones home' }] },
        ...more,
      }),
    );
  const project = (require: object): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require, config: { policy: mayInstall } },
    });

  beforeAll(async () => {
    configure();
    registry = await startRegistry();
    await registry.build('--config', source.path('libretto.json'));
  });
  afterEach(() => {
    registry.front.answer = undefined;
    registry.front.take();
  });
  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  it('scenario 63: audit names the advisory of an installed version and exits with 1', async () => {
    await using affected = project({ 'acme/hello': '1.0.0', 'acme/other': '*' });
    const update = await affected.run('update');
    expect(update).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('Found 1 security vulnerability advisory affecting 1 package') as string,
    });
    const audit = await affected.run('audit', '--format=json');
    expect(audit.exitCode).toBe(1);
    expect(JSON.parse(audit.stdout)).toMatchObject({
      advisories: {
        'acme/hello': [
          {
            advisoryId: 'ACME-2026-1',
            cve: 'CVE-2026-0001',
            title: 'Greets everybody',
            link: 'https://acme.example/1',
          },
        ],
      },
    });
  });

  itInSeries('scenario 63: audit exits with 0 for an unaffected version', async () => {
    await using sound = project({ 'acme/hello': '1.1.0' });
    expect((await sound.run('update')).exitCode).toBe(0);
    expect((await sound.run('audit')).exitCode).toBe(0);
  });

  itInSeries(
    'scenario 63: a registry with a known address gets one request with the token, for all packages',
    async () => {
      await using addressed = await startRegistry();
      const sources = ['hello-1', 'hello-2', 'other'].map((name) => source.path('packages', name));
      writeFileSync(
        addressed.folder.at('libretto.json'),
        JSON.stringify({ sources, advisories: source.path('advisories.json'), distUrl: addressed.url }),
      );
      await addressed.build();
      await addressed.stopServer();
      await addressed.startServer();
      await using app = createProject({
        url: addressed.url,
        auth: bearerAuth(addressed.front.host, addressed.token),
        composerJson: { require: { 'acme/hello': '1.0.0', 'acme/other': '*' }, config: { policy: mayInstall } },
      });
      expect((await app.run('update', '--no-audit')).exitCode).toBe(0);
      addressed.front.take();
      expect((await app.run('audit')).exitCode).toBe(1);
      const asked = addressed.front.requests.filter(({ method }) => method === 'POST');
      expect(asked.map(({ target, status, headers }) => [target, status, typeof headers['authorization']])).toEqual([
        ['/security-advisories', 200, 'string'],
      ]);
      addressed.front.answer = (target) =>
        target === '/security-advisories'
          ? { status: 500, headers: { 'content-type': 'application/json' }, body: '{}' }
          : undefined;
      app.clearCache();
      expect(await app.run('update')).toMatchObject({
        exitCode: 0,
        output: expect.stringContaining('Failed to audit installed packages') as string,
      });
    },
  );

  itInSeries('scenario 64: an update succeeds when the request for advisories fails', async () => {
    await using app = project({ 'acme/hello': '1.0.0' });
    expect((await app.run('update', '--no-audit')).exitCode).toBe(0);
    app.clearCache();
    for (const status of [404, 429]) {
      registry.front.answer = (target) =>
        target.includes('security-advisories') || target.includes('/p2/acme/other')
          ? { status, headers: { 'content-type': 'application/json' }, body: '{}' }
          : undefined;
      expect((await app.run('update')).exitCode).toBe(0);
    }
  });

  itInSeries(
    'scenario 65: Composer 2.10 reads a filter list from the document, and older versions install all the same',
    async () => {
      await using app = project({ 'acme/other': '1.0.0' });
      expect((await app.run('update')).exitCode).toBe(0);
      const answer = await fetch(`${registry.direct()}/p2/acme/other.json`, {
        headers: { authorization: `Bearer ${registry.token}` },
      });
      expect(await answer.json()).toMatchObject({
        filter: { malware: [{ constraint: '1.0.0', reason: 'It phones home' }] },
      });
      await using guarded = createProject({
        url: registry.url,
        auth: bearerAuth(registry.front.host, registry.token),
        composerJson: { require: { 'acme/other': '1.0.0' } },
      });
      expect((await guarded.run('update')).exitCode === 0).toBe(!(await isComposerFrom('2.10')));
    },
  );
});
