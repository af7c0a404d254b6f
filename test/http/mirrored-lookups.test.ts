// Tests searches and lists over HTTP across published packages and stored packages of another registry.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMirroredCatalogue } from '../../proxy/mirror/mirrored-catalogue.ts';
import { noRules } from '../../proxy/mirror/rules/release-rules.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { releaseRules } from '../util/release-rules.ts';
import { runCli } from '../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import { runMirror, type RunningMirror } from '../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

describe('mirrored packages', () => {
  let upstream: TestUpstream;
  let running: RunningMirror;
  let registry: RunningManagement;
  let source: TemporaryTree;
  let reader = '';
  let nowMs = Date.now();
  let epoch = 1;

  const names = async (path: string, as = reader): Promise<readonly string[]> => {
    nowMs += 6000;
    const json = (await registry.call('GET', path, { as })).json();
    return (
      (json['packageNames'] as string[] | undefined) ??
      ((json['results'] ?? json['providers'] ?? []) as { name: string }[]).map(({ name }) => name)
    );
  };

  beforeAll(async () => {
    upstream = await startUpstream({ minified: true });
    upstream.put('some/http', [
      {
        version: '2.0.0',
        extra: {
          description: 'Asks over http anew.',
          time: '2024-01-01T00:00:00+00:00',
          provide: { 'psr/http-implementation': '1.0' },
        },
      },
      { version: '1.0.0', extra: { description: 'Asks over http.', time: '2020-01-01T00:00:00+00:00' } },
    ]);
    upstream.put('some/old', [
      {
        version: '1.0.0',
        extra: {
          description: 'Once was http.',
          abandoned: 'some/http',
          replace: { 'acme/http': '*' },
          provide: { 'psr/http-implementation': '1.0' },
        },
      },
    ]);
    upstream.put('other/never-asked', [{ version: '1.0.0', extra: { description: 'http' } }]);
    running = runMirror([upstream.url]);
    running.privates.add('acme/http');
    registry = await runManagement({
      now: () => nowMs,
      mirrored: createMirroredCatalogue({
        folder: running.folder.at('mirror'),
        mirror: running.mirror,
        epoch: () => epoch,
      }),
    });
    reader = await registry.createToken('read');
    source = temporaryTree(
      below('http', libraryTree('acme/http', { version: '1.0.0', description: 'Ours.', keywords: ['http'] })),
    );
    const { exitCode, stderr } = await runCli(['build', source.root, '--data', registry.data], { cwd: source.root });
    if (exitCode !== 0) throw new Error(stderr);
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await running[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
    source.remove();
  });

  it('are found once they are stored, after published packages, and without a request to the upstream', async () => {
    expect(await names('/search.json?q=http')).toEqual(['acme/http']);
    await running.provider('some/http');
    await running.provider('some/old');
    const asked = upstream.server.requests.length;
    await expect.poll(() => names('/search.json?q=http')).toEqual(['acme/http', 'some/http', 'some/old']); // documents are answered before they are stored
    const { results, total } = (await registry.call('GET', '/search.json?q=once', { as: reader })).json();
    expect([results, total]).toMatchObject([
      [{ name: 'some/old', description: 'Once was http.', abandoned: 'some/http' }],
      1,
    ]);
    expect(await names('/search.json?q=http&per_page=1&page=2')).toEqual(['some/http']);
    expect(await names('/search.json?q=some%2Fhtpt')).toEqual(['some/http']);
    expect(await names('/list.json')).toEqual(['acme/http', 'some/http', 'some/old']);
    expect(await names('/list.json?filter=some/*')).toEqual(['some/http', 'some/old']);
    expect(await names('/list.json?vendor=some&filter=some/h*')).toEqual(['some/http']);
    expect(await names('/list.json?vendor=secret&filter=secret/project*')).toEqual([]);
    expect(await names('/providers/psr/http-implementation.json')).toEqual(['some/http', 'some/old']);
    expect(upstream.server.requests).toHaveLength(asked);
  });

  it('row 76: never replace a private package', async () => {
    expect((await registry.call('GET', '/providers/acme/http.json', { as: reader })).status).toBe(404);
  });

  it('are found as far as the token sees them', async () => {
    const token = async (limits: object): Promise<string> =>
      (
        await registry.services.tokensOf('cli:test').create({ description: 'limited', kind: 'read', limits } as never)
      ).secret.reveal();
    const older = await token({ packages: ['some/http'], constraints: { 'some/http': '<2.0' } });
    expect(await names('/list.json', older)).toEqual(['some/http']);
    expect(await names('/search.json?q=http', older)).toEqual(['some/http']);
    expect(await names('/search.json?q=anew', older)).toEqual([]);
    expect(await names('/providers/psr/http-implementation.json', older)).toEqual([]);
    expect(await names('/search.json?q=http', await token({ packages: ['acme/*'] }))).toEqual(['acme/http']);
    expect(
      await names('/list.json', await token({ packages: ['some/*'], constraints: { 'some/*': '>=3.0' } })),
    ).toEqual([]);
  });

  it('follow a changed document, and disappear with a refusing rule or a removed document; an accepted archive stays', async () => {
    upstream.put('some/old', [{ version: '1.0.1', extra: { description: 'Rewritten.', license: ['GPL-3.0-only'] } }]);
    running.clock.nowMs += 700_000;
    await running.provider('some/old');
    await expect.poll(() => names('/search.json?q=rewritten')).toEqual(['some/old']);
    expect(await names('/search.json?q=once')).toEqual([]);
    running.setRules({ releases: releaseRules({ licenses: { allow: ['MIT'], action: 'refuse' } }) });
    expect(await names('/list.json')).toEqual(['acme/http', 'some/http']);
    running.setRules({ releases: noRules });
    expect((await running.archive('some/old', '1.0.1'))?.status).toBe(200);
    rmSync(running.folder.at('mirror/p2'), { recursive: true });
    expect(await names('/list.json')).toEqual(['acme/http', 'some/old']);
    await running.provider('some/http');
    await expect.poll(() => names('/list.json')).toEqual(['acme/http', 'some/http', 'some/old']);
  });

  it('are no longer found when their name is denied, reserved, or became private (I9)', async () => {
    running.setRules({ upstreams: [{ id: 'u1', url: upstream.url, allow: [], deny: ['some/old'] }] });
    expect(await names('/list.json')).toEqual(['acme/http', 'some/http']);
    running.setRules({ upstreams: [{ id: 'u1', url: upstream.url, allow: [], deny: [] }], reserved: ['some/http'] });
    expect(await names('/list.json')).toEqual(['acme/http', 'some/old']);
    running.setRules({ reserved: [] });
    running.privates.add('some/mine');
    epoch += 1;
    expect(await names('/list.json')).toEqual(['acme/http']);
    running.privates.delete('some/mine');
    running.setRules({ upstreams: [] });
    expect(await names('/list.json')).toEqual(['acme/http']);
  });
});
