// Tests `composer audit` of the tested Composer version with upstreams whose advisories are incomplete or unloadable.

import { afterEach, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php'))('composer audit of mirrored packages', () => {
  const source = temporaryTree(below('acme/app', whoLibrary('acme/app', '1.0.0')));
  const zip = zipOf([{ name: 'top/src/Lib.php', data: Buffer.from('<?php') }]);
  let upstream: TestUpstream;
  let registry: Registry;
  const open = async (root: Readonly<Record<string, unknown>>): Promise<void> => {
    upstream = await startUpstream({ root });
    registry = await startRegistry({
      sources: [source.root],
      loopback: true,
      settings: { 'mirroring.url': upstream.url, 'mirroring.enabled': 'true' },
    });
  };
  const audit = async (): Promise<Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>> => {
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'some/lib': '*', 'acme/app': '*' } },
    });
    const updated = await app.runWith({ COMPOSER_NO_SECURITY_BLOCKING: '1' }, 'update', '--no-audit');
    expect(updated.exitCode, updated.output).toBe(0);
    const { stdout, output } = await app.run('audit', '--format=json');
    expect(stdout, output).toMatch(/^\s*\{/);
    return (JSON.parse(stdout) as { advisories: Record<string, Record<string, unknown>[]> }).advisories;
  };
  afterEach(async () => {
    await registry.stop();
    await upstream[Symbol.asyncDispose]();
  });

  it('shows an abbreviated advisory, and leaves out advisories that Composer could not load', async () => {
    await open({ 'security-advisories': { metadata: true } });
    const advisories = [
      { advisoryId: 'A-1', affectedVersions: '<2.0' },
      { advisoryId: 'A-2', affectedVersions: 'not < one' },
      { advisoryId: 'A-3', affectedVersions: '*', title: 'Bad', reportedAt: 'notadate', cve: 5, sources: [] },
    ];
    upstream.put(
      'some/lib',
      [
        { version: '2.1.0', zip, extra: { time: 17 } },
        { version: '1.0.0', zip },
      ],
      { 'security-advisories': advisories },
    );
    expect((await audit())['some/lib']).toMatchObject([
      { advisoryId: 'A-1', title: 'Security advisory A-1' },
      { advisoryId: 'A-3', title: 'Bad', cve: null },
    ]);
  });

  itInSeries("shows the complete advisories of the upstream's api-url", async () => {
    await open({ 'security-advisories': { metadata: true, 'api-url': '/api/advisories' } });
    const asked: string[] = [];
    upstream.put('some/lib', [{ version: '1.0.0', zip }], {
      'security-advisories': [{ advisoryId: 'A-1', affectedVersions: '<2.0' }],
    });
    upstream.instead('/api/advisories', (request, response) => {
      request
        .on('data', (piece: Buffer) => asked.push(decodeURIComponent(piece.toString())))
        .on('end', () => {
          response.end(
            JSON.stringify({
              advisories: {
                'some/lib': [
                  {
                    advisoryId: 'A-1',
                    packageName: 'some/lib',
                    affectedVersions: '<2.0',
                    title: 'Very bad',
                    cve: 'CVE-2020-1',
                    link: 'https://some.example/',
                    reportedAt: '2020-03-01 12:00:00',
                    sources: [{ name: 'there', remoteId: '1' }],
                  },
                ],
              },
            }),
          );
        });
    });
    expect((await audit())['some/lib']).toMatchObject([{ advisoryId: 'A-1', title: 'Very bad', cve: 'CVE-2020-1' }]);
    expect(new Set(asked)).toEqual(new Set(['packages[]=some/lib']));
  });
});
