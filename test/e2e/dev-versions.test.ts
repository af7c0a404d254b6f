// Tests branches: versions whose content changes, with names that are unusual in paths and addresses.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { gitHistory, type GitHistory } from '../util/git-history.ts';
import { writeTree } from '../util/package-tree.ts';
import { startRegistry, type BuildReport, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

const hello = (who: string, fields: Readonly<Record<string, unknown>> = {}) =>
  whoLibrary('acme/hello', undefined, fields, who);
const requiring = (registry: Registry, constraint: string): Project =>
  createProject({
    url: registry.url,
    auth: bearerAuth(registry.front.host, registry.token),
    composerJson: { require: { 'acme/hello': constraint } },
  });
const aliased = { extra: { 'branch-alias': { 'dev-main': '2.x-dev' } } };

describe.skipIf(lacks('composer', 'php', 'git'))('branches', () => {
  let repository: GitHistory;
  let plain: GitHistory;
  let registry: Registry;

  const project = (composerJson: Readonly<Record<string, unknown>> = {}): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token), composerJson });

  beforeAll(async () => {
    repository = gitHistory();
    repository.commit(hello('1.0.0'));
    repository.tag('v1.0.0');
    repository.commit(hello('main', aliased));
    for (const [branch, who] of [
      ['feature/foo', 'a feature'],
      ['fix#12', 'a fix'],
      ['grün', 'green'],
      ['100%', 'all of it'],
      ['1.x', 'one'],
      ['1.0', 'one point oh'],
    ] as const) {
      repository.commit(hello(who), { branch, from: 'main' });
    }
    plain = gitHistory();
    plain.commit(whoLibrary('acme/plain', undefined, {}, 'plain main'));
    registry = await startRegistry({ sources: [repository.root, plain.root] });
  });

  afterAll(async () => {
    await registry.stop();
    repository.remove();
    plain.remove();
  });

  it('4: a branch is requested in the ~dev document, and its archive carries the commit', async () => {
    await using app = project();
    registry.front.take();
    const { exitCode, output } = await app.run('require', 'acme/hello:dev-main');
    expect(exitCode, output).toBe(0);
    const asked = registry.front.take();
    const head = repository.tip();
    expect(asked).toContain('/p2/acme/hello~dev$%hash%.json');
    expect(asked).toContain(`/dist/acme/hello/dev-main.zip?ref=${head}`);
    expect(app.locked()['acme/hello']).toMatchObject({
      version: 'dev-main',
      'default-branch': true,
      dist: { reference: head },
    });
    expect(await app.php(askWho('acme/hello'))).toBe('main');
  });

  itInSeries('5: a branch alias installs its branch', async () => {
    await using app = project({ require: { 'acme/hello': '2.x-dev' } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.locked()['acme/hello']?.version).toBe('dev-main');
    expect(await app.php(askWho('acme/hello'))).toBe('main');
  });

  itInSeries('6: with minimum-stability dev Composer reads both documents', async () => {
    await using app = project({ 'minimum-stability': 'dev', require: { 'acme/hello': '*' } });
    registry.front.take();
    expect((await app.run('update')).exitCode).toBe(0);
    const asked = new Set(registry.front.take());
    expect(asked).toContain('/p2/acme/hello$%hash%.json');
    expect(asked).toContain('/p2/acme/hello~dev$%hash%.json');
    expect(app.locked()['acme/hello']?.version).toBe('dev-main');
  });

  itInSeries.each([
    ['1.x-dev', '1.x-dev', 'one'],
    ['1.0.x-dev', '1.0.x-dev', 'one point oh'],
    ['^1.0', 'v1.0.0', '1.0.0'],
  ])('a requirement %s gives %s', async (constraint, version, who) => {
    await using app = project({ require: { 'acme/hello': constraint } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.locked()['acme/hello']?.version).toBe(version);
    expect(await app.php(askWho('acme/hello'))).toBe(who);
  });

  itInSeries.each([
    ['49: a slash', 'dev-feature/foo', 'a feature', '/dist/acme/hello/dev-feature/foo.zip'],
    ['50: a hash sign, which becomes a plus', 'dev-fix+12', 'a fix', '/dist/acme/hello/dev-fix+12.zip'],
    ['52: letters outside ASCII', 'dev-grün', 'green', '/dist/acme/hello/dev-gr%c3%bcn.zip'],
    ['53: a percent sign', 'dev-100%', 'all of it', '/dist/acme/hello/dev-100%.zip'],
  ])('a branch name with %s installs', async (_, version, who, path) => {
    await using app = project({ require: { 'acme/hello': version } });
    registry.front.take();
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(registry.front.take().map((target) => target.replace(/\?ref=[0-9a-f]{40}$/, ''))).toContain(path);
    expect(app.locked()['acme/hello']?.version).toBe(version);
    expect(await app.php(askWho('acme/hello'))).toBe(who);
  });

  itInSeries('58: a default branch without an alias satisfies a lower bound', async () => {
    await using app = project({ require: { 'acme/plain': '>=1@dev' } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.locked()['acme/plain']).toMatchObject({ version: 'dev-main', 'default-branch': true });
    expect(await app.php(askWho('acme/plain'))).toBe('plain main');
  });
});

describe.skipIf(lacks('composer', 'php', 'git'))('a branch that changes', () => {
  let repository: GitHistory;
  let registry: Registry;

  beforeAll(async () => {
    repository = gitHistory();
    repository.commit(hello('first'));
    registry = await startRegistry({ sources: [repository.root] });
  });

  afterAll(async () => {
    await registry.stop();
    repository.remove();
  });

  it('14, 16: an update brings the new bytes, and an old lock the old ones', async () => {
    await using app = requiring(registry, 'dev-main');
    expect((await app.run('update')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/hello'))).toBe('first');
    const oldLock = app.read('composer.lock');

    const second = repository.commit(hello('second'));
    await registry.build();
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.locked()['acme/hello']?.dist?.reference).toBe(second);
    expect(await app.php(askWho('acme/hello'))).toBe('second');

    await using late = requiring(registry, 'dev-main');
    writeTree(late.path, { 'composer.lock': oldLock });
    const install = await late.run('install');
    expect(install.exitCode, install.output).toBe(0);
    expect(await late.php(askWho('acme/hello'))).toBe('first');
  });
});

describeInSeries.skipIf(lacks('composer', 'php', 'git'))('a commit of a branch', () => {
  let repository: GitHistory;
  let registry: Registry;
  let released: string;
  let first: string;
  let second: string;

  beforeAll(async () => {
    repository = gitHistory();
    released = repository.commit(hello('released'));
    repository.tag('1.0.0');
    first = repository.commit(hello('first'));
    registry = await startRegistry({ sources: [repository.root] });
    second = repository.commit(hello('second'));
    await registry.build();
  });

  afterAll(async () => {
    await registry.stop();
    repository.remove();
  });

  const pinned = async (
    reference: string,
  ): Promise<{
    readonly exitCode: number;
    readonly output: string;
    readonly who: string | undefined;
    readonly requests: readonly string[];
  }> => {
    await using app = requiring(registry, `dev-main#${reference.slice(0, 10)}`);
    registry.front.take();
    const { exitCode, output } = await app.run('update');
    return {
      exitCode,
      output,
      who: exitCode === 0 ? await app.php(askWho('acme/hello')) : undefined,
      requests: registry.front.take(),
    };
  };

  it('15: a commit named after a hash sign, the newest, an older one or that of a release, is requested by its reference and installed unchanged', async () => {
    for (const [reference, who] of [
      [second, 'second'],
      [first, 'first'],
      [released, 'released'],
    ] as const) {
      const found = await pinned(reference);
      expect(found).toMatchObject({ exitCode: 0, who });
      expect(found.requests).toContain(`/dist/acme/hello/dev-main.zip?ref=${reference.slice(0, 10)}`);
    }
  });

  itInSeries('15: for a commit that no build published, Composer shows the newest published commits', async () => {
    const { exitCode, output } = await pinned('f'.repeat(40));
    expect(exitCode).not.toBe(0);
    expect(output.replaceAll(/\s+/g, ' ')).toContain(
      `The newest published commits are ${second.slice(0, 12)}, ${first.slice(0, 12)}.`,
    );
  });

  itInSeries(
    '15: where dev versions carry a checksum, an older commit fails on it; a change of the setting is one publication',
    async () => {
      writeTree(registry.folder.path, { 'shasum.json': { json: { distShasum: 'always' } } });
      const built = async (...args: readonly string[]): Promise<boolean> =>
        ((await registry.build(...args)) as BuildReport & { readonly published: boolean }).published;
      const always = ['--config', registry.folder.at('shasum.json')];
      expect([await built(...always), await built(...always)]).toEqual([true, false]);
      expect(await pinned(second)).toMatchObject({ exitCode: 0, who: 'second' });
      expect((await pinned(first)).exitCode).not.toBe(0);
      expect([await built(), await built()]).toEqual([true, false]);
    },
  );

  it('16: after a force-push the commit of an old lock still installs its own bytes', async () => {
    await using app = requiring(registry, 'dev-main');
    expect((await app.run('update')).exitCode).toBe(0);
    const oldLock = app.read('composer.lock');
    repository.git('update-ref', '-d', 'refs/heads/main');
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    repository.commit(hello('rewritten'));
    await registry.build();
    await using late = requiring(registry, 'dev-main');
    writeTree(late.path, { 'composer.lock': oldLock });
    const { exitCode, output } = await late.run('install');
    expect(exitCode, output).toBe(0);
    expect(await late.php(askWho('acme/hello'))).toBe('second');
  });
});

describeInSeries.skipIf(lacks('composer', 'php', 'git'))('equally ranked branches', () => {
  it('are chosen as from the repository itself: the default branch, then the first by name', async () => {
    const repository = gitHistory();
    repository.commit(hello('default'));
    for (const branch of ['z', 'a', 'm', '1.0', '1.0-fix']) repository.commit(hello(branch), { branch, from: 'main' });
    await using registry = await startRegistry({ sources: [repository.root] });
    for (const constraint of ['dev-z || dev-m || dev-a', 'dev-a || dev-main', '1.0.x-dev || dev-1.0-fix']) {
      await using ours = requiring(registry, constraint);
      await using theirs = createProject({
        url: registry.url,
        composerJson: { require: { 'acme/hello': constraint }, repositories: [{ type: 'vcs', url: repository.root }] },
        only: true,
      });
      for (const app of [ours, theirs]) expect((await app.run('update', '--no-install')).exitCode, constraint).toBe(0);
      expect(ours.locked()['acme/hello']?.version, constraint).toBe(theirs.locked()['acme/hello']?.version);
    }
    repository.remove();
  });
});

describeInSeries.skipIf(lacks('composer', 'php', 'git'))('a package without branches', () => {
  it('7: resolves its releases beside an empty ~dev document, and Composer lists its versions', async () => {
    const repository = gitHistory();
    repository.commit(hello('1.0.0'));
    repository.tag('1.0.0');
    repository.git('update-ref', '--no-deref', 'HEAD', repository.tip());
    repository.git('update-ref', '-d', 'refs/heads/main');
    await using registry = await startRegistry({ sources: [repository.root] });
    repository.remove();
    const auth = bearerAuth(registry.front.host, registry.token);
    await using app = createProject({
      url: registry.url,
      auth,
      composerJson: { require: { 'acme/hello': '^1.0@dev' } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(registry.front.requests.find(({ target }) => target.includes('~dev'))?.status).toBe(200);
    expect(await app.php(askWho('acme/hello'))).toBe('1.0.0');
    await using other = createProject({
      url: registry.url,
      auth,
      composerJson: { require: { 'acme/hello': 'dev-main' } },
    });
    const refused = await other.run('update');
    expect(refused.exitCode).toBe(2);
    expect(refused.output).toContain('found acme/hello[1.0.0] but it does not match');
    expect(other.exists('composer.lock')).toBe(false);
  });
});
