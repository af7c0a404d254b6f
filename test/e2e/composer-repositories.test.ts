// Tests the real Composer with packages that a build fetched from another Composer repository, next to a private
// package, while that repository is stopped.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { publishedRecords } from '../util/published-tree.ts';
import { runCli, startCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php'))('a Composer repository', () => {
  it('packages that a build fetched are installed while their upstream is down', async () => {
    const folder = temporaryFolder('fetched-ahead');
    const upstream = await startUpstream({ minified: true, authorization: 'Bearer sesame' });
    const source = temporaryTree(
      {
        ...below('one', whoLibrary('tools/one', '1.2.0', { require: { 'tools/base': '^2.0' } })),
        ...below('base', whoLibrary('tools/base', '2.1.0')),
      },
      folder.path,
    );
    const made = await runCli(['build', source.root, '--data', folder.at('theirs')], { cwd: folder.path });
    expect(made.exitCode, made.stderr).toBe(0);
    for (const { name, version, dist, ...extra } of publishedRecords(folder.at('theirs')))
      upstream.put(name, [
        {
          version,
          reference: dist.reference,
          zip: readFileSync(folder.at(`theirs/public/dist/${name}/${version}.zip`)),
          extra,
        },
      ]);
    mkdirSync(folder.at('packages/app'), { recursive: true });
    writeFileSync(
      folder.at('packages/app/composer.json'),
      JSON.stringify({ name: 'acme/app', version: '1.0.0', require: { 'tools/one': '^1.0' } }),
    );
    writeFileSync(
      folder.at('libretto.json'),
      JSON.stringify({
        data: 'data',
        egress: { allow: ['127.0.0.0/8'] },
        sources: [
          'packages',
          {
            type: 'composer',
            url: upstream.url,
            only: ['tools/*'],
            packages: { 'tools/one': '^1.0', 'tools/base': '*' },
          },
        ],
      }),
    );
    const auth = { COMPOSER_AUTH: JSON.stringify(bearerAuth(upstream.server.host, 'sesame')) };
    const built = await runCli(['build'], { cwd: folder.path, environment: auth });
    expect([built.exitCode, built.stderr]).toEqual([
      0,
      `${upstream.url}: 2 archives fetched in advance, 0 already stored.`,
    ]);
    await upstream[Symbol.asyncDispose]();

    const token = (await runCli(['token', 'create', '--description', 'CI'], { cwd: folder.path })).stdout;
    const running = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment: auth });
    try {
      const [url = ''] = await running.shows(/http:\/\/127\.0\.0\.1:\d+/);
      await using project = createProject({
        url,
        auth: bearerAuth(new URL(url).host, token),
        composerJson: { require: { 'acme/app': '^1.0' } },
      });
      const { exitCode, output } = await project.run('update');
      expect(exitCode, output).toBe(0);
      expect(
        Object.values(project.locked())
          .map(({ name, version }) => `${name} ${version}`)
          .sort(),
      ).toEqual(['acme/app 1.0.0', 'tools/base 2.1.0', 'tools/one 1.2.0']);
      for (const { dist } of Object.values(project.locked())) expect(dist?.shasum).toMatch(/^[0-9a-f]{40}$/);
    } finally {
      running.signal('SIGTERM');
      await running.ended;
      await folder.remove();
    }
  });
});
