// Tests registered Composer repositories with the compiled program: they are verified, requested, synced and removed.

import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { composerWorkspace, versionsIn, type ComposerWorkspace } from '../util/composer-workspace.ts';
import { itInSeries } from '../util/series.ts';

let workspace: ComposerWorkspace;
beforeEach(() => {
  workspace = composerWorkspace();
});
afterEach(() => workspace[Symbol.asyncDispose]());

describe('a registered Composer repository', () => {
  it('is verified, used at once, synced and removed', async () => {
    const upstream = await workspace.upstreamWith(
      { 'tools/one': ['1.0.0', '2.0.0'] },
      { authorization: 'Bearer sesame', root: { 'available-packages': ['tools/one'] } },
    );
    workspace.configure();
    expect((await workspace.run(['build'])).exitCode).toBe(0);
    const get = await workspace.serve();
    expect((await get('/p2/tools/one.json')).status).toBe(404);
    writeFileSync(workspace.folder.at('token.txt'), 'sesame\n');
    const added = await workspace.json(
      'repository',
      'add',
      '--type',
      'composer',
      upstream.url,
      '--only',
      'tools/*',
      '--package',
      'tools/one:^2.0',
      '--token-file',
      'token.txt',
    );
    expect(added).toMatchObject({
      type: 'composer',
      url: upstream.url,
      credentials: 'bearer',
      only: ['tools/*'],
      packages: { 'tools/one': '^2.0' },
      position: 1,
      status: 'pending',
    });
    expect(JSON.stringify(added)).not.toContain('sesame');
    const id = String(added['id']);
    expect(await workspace.json('repository', 'verify', id)).toEqual({
      ok: true,
      message: null,
      tags: null,
      branches: null,
      default_branch: null,
      protocol: 'metadata-url',
      package_count: 1,
      packages: ['tools/one'],
      problems: [],
    });
    expect(
      await versionsIn(await get('/p2/tools/one.json'), 'tools/one'),
      'the running server asks it from now on',
    ).toEqual(['1.0.0', '2.0.0']);
    expect((await workspace.json('why', 'tools/one'))['mirrored']).toMatchObject({
      repositories: [upstream.url],
      archives: [],
    });

    expect(await workspace.json('repository', 'sync', id)).toMatchObject({
      state: 'succeeded',
      report: { published: false, counts: { added: 1 }, added: [{ name: 'tools/one', version: '2.0.0' }] },
    });
    expect((await workspace.json('mirror', 'list'))['archives']).toMatchObject([
      { name: 'tools/one', version: '2.0.0' },
    ]);
    expect((await workspace.run(['repository', 'update', id, '--package', 'tools/one:^3.0'])).exitCode).toBe(0);
    const failed = await workspace.run(['repository', 'sync', id]);
    expect([failed.exitCode, failed.stderr]).toEqual([
      1,
      'The sync failed: tools/one: no version that is offered matches ^3.0. [BUILD_FAILED]',
    ]);
    expect((await workspace.json('repository', 'show', id))['status']).toBe('error');
    expect((await workspace.run(['build'])).stderr, 'a build of everything fetches ahead too').toContain(
      'no version that is offered matches ^3.0',
    );

    expect((await workspace.run(['repository', 'update', id, '--without', 'package', 'credentials'])).exitCode).toBe(0);
    expect(await workspace.json('repository', 'verify', id)).toMatchObject({
      ok: false,
      message: expect.stringContaining('401') as string,
    });
    expect((await workspace.run(['repository', 'remove', id])).stderr).toContain('withdraws nothing');
    expect(await workspace.run(['repository', 'remove', id, '--yes'])).toMatchObject({
      exitCode: 0,
      stdout: `Removed ${upstream.url}; it is no longer used.`,
    });
    expect((await get('/p2/tools/one.json')).status).toBe(404);
  });

  itInSeries('ranks after those of libretto.json, in the order of registration', async () => {
    const [first, second, third] = [
      await workspace.upstreamWith({ 'tools/a': ['1.0.0'] }),
      await workspace.upstreamWith({ 'tools/a': ['2.0.0'], 'tools/b': ['2.0.0'] }),
      await workspace.upstreamWith({ 'tools/a': ['3.0.0'], 'tools/b': ['3.0.0'], 'tools/c': ['3.0.0'] }),
    ];
    workspace.configure({ url: first.url });
    expect((await workspace.run(['build'])).exitCode).toBe(0);
    const [two, three] = [
      await workspace.json('repository', 'add', '--type', 'composer', second.url),
      await workspace.json('repository', 'add', '--type', 'composer', third.url),
    ];
    expect([two['position'], three['position']]).toEqual([1, 2]);
    const get = await workspace.serve();
    for (const [name, version] of [
      ['tools/a', '1.0.0'],
      ['tools/b', '2.0.0'],
      ['tools/c', '3.0.0'],
    ] as const)
      expect(await versionsIn(await get(`/p2/${name}.json`), name)).toEqual([version]);
    // the server writes a document a moment after its answer
    await expect
      .poll(async () => {
        const { exitCode, stdout } = await workspace.run(['why', 'tools/b']);
        return [exitCode, stdout];
      })
      .toEqual([
        0,
        expect.stringContaining(
          `It is requested from the first of these that has it: ${first.url}, ${second.url}, ${third.url}`,
        ),
      ]);
    expect((await workspace.run(['why', 'acme/more'])).stdout).toContain('the vendor acme has private packages');
    expect(
      (await workspace.run(['repository', 'add', '--type', 'composer', `${first.url}/packages.json`])).stderr,
    ).toContain('is already in libretto.json (sources[1])');
    expect((await workspace.run(['repository', 'add', '--type', 'composer', `${second.url}/`])).stderr).toContain(
      `is registered already, as ${String(two['id'])}`,
    );
  });

  it('refuses unusable addresses and credentials', async () => {
    workspace.configure();
    writeFileSync(workspace.folder.at('token.txt'), 'sesame\n');
    const refused = async (...args: readonly string[]): Promise<string> =>
      (await workspace.run(['repository', 'add', ...args])).stderr;
    expect(await refused('--type', 'composer', 'https://1.1.1.1', '--branch', 'main')).toContain(
      '--branch: is a field of git sources',
    );
    expect(await refused('--type', 'composer', 'https://10.0.0.1')).toContain('is not public');
    expect(await refused('--type', 'composer', 'git@example.org:acme/x.git')).toContain('the address: ');
    expect(
      await refused('--type', 'composer', 'https://1.1.1.1', '--header', 'Host', '--token-file', 'token.txt'),
    ).toContain('the credentials header: ');
    expect(
      await refused('--type', 'git', 'https://1.1.1.1/x.git', '--header', 'PRIVATE-TOKEN', '--token-file', 'token.txt'),
    ).toContain('the credentials header: ');
    expect(await refused('--type', 'git', 'https://1.1.1.1/x.git', '--package', 'a/b')).toContain(
      '--package: is a field of',
    );
  });
});
