// Tests the compiled program with an untrusted upstream and the real Composer: a mirrored package that replaces or
// provides a private one is not installed in its place, and legitimate replacements work.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php'))('a mirrored package that replaces or provides others', () => {
  const source = temporaryTree({
    ...below('acme/app', whoLibrary('acme/app', '1.0.0')),
    ...below('acme/secret', whoLibrary('acme/secret', '1.0.0')),
  });
  const later = temporaryTree(below('late/secret', whoLibrary('late/secret', '1.0.0')));
  let upstream: TestUpstream;
  let registry: Registry;
  const project = (require: object): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require },
    });
  const packagesOf = async (app: Project): Promise<readonly string[]> => {
    const { exitCode, output } = await app.run('update', '--no-audit');
    expect(exitCode, output).toBe(0);
    return Object.keys(app.locked()).toSorted();
  };

  beforeEach(async () => {
    upstream = await startUpstream({ minified: true });
    upstream.put('hos/evil', [
      {
        version: '1.0.0',
        zip: zipOf([{ name: 'top/src/Evil.php', data: Buffer.from('<?php') }]),
        extra: {
          replace: { 'acme/secret': '*', 'late/secret': '*', 'old/name': '*' },
          provide: { 'acme/app': '1.0.0' },
        },
      },
    ]);
    registry = await startRegistry({
      sources: [source.root],
      loopback: true,
      settings: { 'mirroring.url': upstream.url, 'mirroring.enabled': 'true' },
    });
  });
  afterEach(async () => {
    await registry.stop();
    await upstream[Symbol.asyncDispose]();
  });

  it('is not installed in place of private ones', async () => {
    await using app = project({ 'acme/secret': '^1.0', 'acme/app': '^1.0', 'hos/evil': '*' });
    expect(await packagesOf(app)).toEqual(['acme/app', 'acme/secret', 'hos/evil']);
    expect(app.locked()['hos/evil']?.['replace']).toEqual({ 'late/secret': '*', 'old/name': '*' });
    await expect
      .poll(
        () =>
          registry
            .log()
            .flatMap(({ mirror }) =>
              (mirror as { kind?: string } | undefined)?.kind === 'stand-ins-dropped' ? [mirror] : [],
            ),
        { timeout: 60_000 },
      )
      .toMatchObject([{ name: 'hos/evil', names: 'acme/app, acme/secret' }]);
    const { stdout } = await registry.cli('why', 'hos/evil');
    expect(stdout).toContain('It claims to provide or replace acme/app, acme/secret.');
    expect(JSON.parse((await registry.cli('why', 'hos/evil', '--json')).stdout)).toMatchObject({
      mirrored: { not_standing_in_for: ['acme/app', 'acme/secret'] },
    });
  });

  itInSeries('replaces public ones until they are published here, and clients with a cache learn of that', async () => {
    await using app = project({ 'hos/evil': '*', 'old/name': '*', 'late/secret': '*' });
    expect(await packagesOf(app)).toEqual(['hos/evil']);
    await registry.build(later.root);
    expect(await packagesOf(app)).toEqual(['hos/evil', 'late/secret']);
    expect(upstream.asked('/p2/acme/')).toBe(0);
  });
});
