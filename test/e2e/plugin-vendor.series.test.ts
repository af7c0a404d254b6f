// Plays a vendor of plugins and a customer (docs/reference/views.md) with the real Composer: 1.x until a date, an
// upgrade, a renewal, an end. The client keeps one cache throughout, and cached data of an earlier view must never pass
// for the present one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { createRepository, type TestRepository } from '../util/git-repository.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

interface Issued {
  readonly id: string;
  readonly token: string;
}

describe.skipIf(lacks('composer', 'php', 'git'))('a plugin vendor', () => {
  let folder: TemporaryTree;
  let shop: TestRepository;
  let registry: Registry;
  let customer: Issued;
  let app: Project;

  const release = (version: string, day: string): void => {
    const files = Object.fromEntries(
      Object.entries(whoLibrary('acme/shop', undefined, {}, version)).map(([path, entry]) => [
        path,
        typeof entry === 'object' && 'json' in entry ? JSON.stringify(entry.json) : (entry as string),
      ]),
    );
    const time = Date.parse(`${day}T12:00:00Z`) / 1000;
    shop.append([
      { commit: 'main', files, authorTime: time, committerTime: time },
      { tag: version, at: 'main' },
    ]);
  };
  const limit = async (...flags: readonly string[]): Promise<void> => {
    const { exitCode, stderr } = await registry.cli('token', 'update', customer.id, ...flags);
    expect(exitCode, stderr).toBe(0);
  };
  const update = async (): Promise<string> => {
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    return app.locked()['acme/shop']?.version ?? '';
  };
  const projectOf = ({ token }: Issued, require: Readonly<Record<string, string>>): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, token), composerJson: { require } });

  beforeAll(async () => {
    folder = temporaryTree({
      ...below('internal', whoLibrary('acme/internal', '1.0.0')),
      ...below('theme', whoLibrary('other/theme', '1.0.0')),
    });
    shop = createRepository(folder.path('shop'), []);
    release('1.0.0', '2026-01-15');
    release('1.1.0', '2026-03-01');
    release('1.2.0-beta1', '2026-03-02');
    release('2.0.0', '2026-06-01');
    registry = await startRegistry({ sources: [shop.path, folder.path('internal'), folder.path('theme')] });
    customer = await registry.createToken(
      '--package',
      'acme/shop:^1',
      '--stability',
      'stable',
      '--not-after',
      '2026-02-28',
      '--limit',
      '0',
    );
    app = projectOf(customer, { 'acme/shop': '*' });
  });
  afterAll(async () => {
    await app.remove();
    await registry.stop();
    folder.remove();
  });

  it('sells 1.x with updates until a date: the customer gets the last release before the date', async () => {
    expect(await update()).toBe('1.0.0');
    expect(await app.php(askWho('acme/shop'))).toBe('1.0.0');
    expect((await app.run('audit')).exitCode).toBe(0);
    expect((await app.run('search', 'shop')).output).toContain('acme/shop');
  });

  it('shows the customer nothing else: no branch, no beta, no 2.0, no other package', async () => {
    const shown = await app.run('show', '--all', '--format=json', 'acme/shop');
    expect((JSON.parse(shown.stdout) as { versions: unknown }).versions).toEqual(['1.0.0']);
    expect((await app.run('show', '--available')).output).not.toMatch(/internal|theme/);
    expect((await app.run('search', '--only-name', 'acme')).output).not.toContain('internal');
    for (const wanted of [
      'acme/shop:dev-main',
      'acme/shop:1.2.0-beta1',
      'acme/shop:^2',
      'acme/internal:*',
      'other/theme:*',
    ]) {
      const { exitCode, output } = await app.run('require', '--no-install', wanted);
      expect([wanted, exitCode === 0]).toEqual([wanted, false]);
      expect(output).not.toContain('2.0.0');
    }
  });

  it('renews the updates: with the same cache the next update brings the later releases', async () => {
    await limit('--not-after', '2026-12-31');
    expect(await update()).toBe('1.1.0');
  });

  it('upgrades the customer to 2.x, and the next update brings it', async () => {
    await limit('--package', 'acme/shop:^1 || ^2');
    expect(await update()).toBe('2.0.0');
    expect(await app.php(askWho('acme/shop'))).toBe('2.0.0');
  });

  it("publishes a release, and the customer's next update brings it", async () => {
    release('2.1.0', '2026-07-01');
    await registry.build();
    expect(await update()).toBe('2.1.0');
  });

  it('withdraws the upgrade: neither documents nor a lock lead to 2.x any more', async () => {
    await limit('--package', 'acme/shop:^1');
    app.removeVendor();
    app.clearCache();
    const { exitCode, output } = await app.run('install');
    expect([exitCode === 0, /404|could not be/i.test(output)]).toEqual([false, true]);
    expect(await update()).toBe('1.1.0');
  });

  it('sees in an explanation which versions the customer sees, and why no others', async () => {
    const { exitCode, stdout } = await registry.cli('token', 'explain', customer.id, 'acme/shop', '2.0.0', '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        seen: false,
        reasons: [{ code: 'constraints' }],
        versions: [
          { version: '2.0.0', state: 'published', released_at: '2026-06-01T12:00:00.000Z', hidden_by: ['constraints'] },
        ],
      },
    ]);
    expect((await registry.cli('token', 'explain', customer.id, 'acme/shop')).exitCode).toBe(0);
    expect(
      JSON.parse((await registry.cli('token', 'explain', customer.id, 'acme/internal', '--json')).stdout),
    ).toMatchObject({ seen: false, reasons: [{ code: 'packages' }] });
  });

  it('ends the contract: no more updates, and the installed version stays', async () => {
    expect((await registry.cli('token', 'revoke', customer.id)).exitCode).toBe(0);
    release('1.9.0', '2026-08-01');
    await registry.build();
    const { output } = await app.run('update'); // Composer continues with its cache
    expect([
      output.includes('This token is mistyped, expired or revoked'),
      app.locked()['acme/shop']?.version,
      await app.php(askWho('acme/shop')),
    ]).toEqual([true, '1.1.0', '1.1.0']);
    app.removeVendor();
    app.clearCache();
    expect((await app.run('install')).exitCode).not.toBe(0);
  });

  it('gives out a token without visible packages, which finds nothing without an error', async () => {
    await using app = projectOf(await registry.createToken('--package', 'zoo/*'), {});
    const updated = await app.run('update');
    expect(updated.exitCode, updated.output).toBe(0);
    expect((await app.run('audit', '--locked')).output).not.toMatch(/could not be fully loaded|invalid/i);
    const { exitCode, output } = await app.run('require', 'acme/shop');
    expect([exitCode === 0, /Could not find/i.test(output)]).toEqual([false, true]);
  });

  it('gives out another token, which sees its own packages despite the cache of the first one', async () => {
    await using all = projectOf(await registry.createToken('--package', 'acme/*', '--stability', 'stable'), {
      'acme/shop': '*',
      'acme/internal': '*',
    });
    await using few = projectOf(await registry.createToken('--package', 'acme/shop:<1.1', '--stability', 'stable'), {
      'acme/shop': '*',
    });
    expect((await all.run('update')).exitCode).toBe(0);
    const cache = { COMPOSER_CACHE_DIR: `${all.home}/cache` };
    const { exitCode, output } = await few.runWith(cache, 'update');
    expect(exitCode, output).toBe(0);
    expect([all.locked()['acme/shop']?.version, few.locked()['acme/shop']?.version]).toEqual(['2.1.0', '1.0.0']);
  });
});
