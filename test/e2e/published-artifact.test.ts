// Tests a ZIP that is published over HTTP, as in a CI job, and installed by the real Composer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php'))('an uploaded artifact', () => {
  const source = temporaryTree();
  let registry: Registry;
  let writer = '';

  const publish = (folder: string, token: string, ...more: readonly string[]): Promise<CliOutcome> =>
    runCli(['publish', folder, '--url', registry.url, ...more], {
      cwd: source.root,
      environment: { LIBRETTO_TOKEN: token },
    });
  const project = (): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': '^1.0' } },
    });

  beforeAll(async () => {
    source.write(below('one', whoLibrary('acme/hello', '1.0.0')));
    source.write(below('two', whoLibrary('acme/hello', undefined, {}, 'two')));
    registry = await startRegistry();
    writer = (await registry.createToken('--kind', 'write')).token;
  });

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  itInSeries('is installed by Composer only after a person has approved it, where its token is staged', async () => {
    const { id, token } = await registry.createToken('--kind', 'write');
    const set = await registry.cli('settings', 'set', 'publishing.staged', JSON.stringify([id]));
    expect([set.exitCode, set.stderr]).toEqual([0, expect.anything()]);
    source.write(below('staged', whoLibrary('acme/staged', '1.0.0')));
    const sent = await publish('staged', token);
    expect([sent.exitCode, sent.stdout + sent.stderr]).toEqual([0, expect.stringContaining('no client sees it')]);
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/staged': '^1.0' } },
    });
    expect((await app.run('update')).exitCode).not.toBe(0);
    expect((await registry.cli('policy', 'held')).stdout).toMatch(/acme\/staged +1\.0\.0 .*publishing\.staged/);
    expect((await registry.cli('why', 'acme/staged', '1.0.0')).stdout).toMatch(
      /acme\/staged 1\.0\.0 waits for a decision: the token [^]*libretto policy approve acme\/staged 1\.0\.0/,
    );
    const approved = await registry.cli('policy', 'approve', 'acme/staged', '1.0.0', '--reason', 'read it');
    expect([approved.exitCode, approved.stdout]).toEqual([0, expect.stringContaining('is approved')]);
    expect((await app.run('update')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/staged'))).toBe('1.0.0');
    const { stdout } = await registry.cli('why', 'acme/staged', '1.0.0');
    expect(stdout).toMatch(new RegExp(`uploaded by +the token [^]*${id}[^]*approved by +cli:`));
  });

  it('requires a write token, installs as soon as it is acknowledged, and installs from an old lock after its withdrawal', async () => {
    expect((await publish('one', registry.token)).stderr).toContain('INSUFFICIENT_SCOPE');
    expect((await publish('one', writer)).exitCode).toBe(0);
    await using app = project();
    const first = await app.run('update');
    expect(first.exitCode, first.output).toBe(0);
    expect(await app.php(askWho('acme/hello'))).toBe('1.0.0');

    const second = await publish('two', writer, '--version', '1.1.0', '--json');
    expect(second.exitCode, second.stderr).toBe(0);
    expect((await app.run('update')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/hello'))).toBe('two');
    const record = JSON.parse(second.stdout) as { version: string; sha1: string; reference: string };
    expect(app.locked()['acme/hello']).toMatchObject({
      version: '1.1.0',
      dist: { shasum: record.sha1, reference: record.reference },
    });

    const withdrawn = await registry.cli(
      'artifact',
      'withdraw',
      'acme/hello',
      '--as-version',
      '1.1.0',
      '--reference',
      record.reference,
    );
    expect(withdrawn.exitCode, withdrawn.stderr).toBe(0);
    app.removeVendor();
    app.clearCache();
    expect((await app.run('install')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/hello'))).toBe('two');
    expect((await app.run('update')).exitCode).toBe(0);
    expect(app.locked()['acme/hello']?.version).toBe('1.0.0');
    expect((await registry.cli('verify')).exitCode).toBe(0);
  });
});
