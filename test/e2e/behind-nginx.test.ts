// Behind a web server that refuses the exact metadata address: the plain template the README names for it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { startNginx, type Nginx } from '../util/nginx.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php', 'nginx'))('behind nginx', () => {
  const source = temporaryTree({
    ...below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')),
    ...below('acme/moving', whoLibrary('acme/moving', undefined, {}, 'moving')),
  });
  const started: { registry: Registry; nginx: Nginx }[] = [];

  const start = async (...flags: readonly string[]): Promise<{ registry: Registry; nginx: Nginx }> => {
    const registry = await startRegistry({ sources: [source.root], serve: flags });
    const nginx = await startNginx(`location / { proxy_pass ${registry.direct()}; proxy_http_version 1.1; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }`);
    started.push({ registry, nginx });
    return { registry, nginx };
  };

  let plain: { registry: Registry; nginx: Nginx };
  let exact: { registry: Registry; nginx: Nginx };

  beforeAll(async () => {
    plain = await start('--metadata-url', '/p2/%package%.json', '--trusted-proxies', '127.0.0.1');
    exact = await start();
  });

  afterAll(async () => {
    for (const { registry, nginx } of started) {
      await nginx.stop();
      await registry.stop();
    }
    source.remove();
  });

  it('scenario 70: the plain template installs releases and branches', async () => {
    const { registry, nginx } = plain;
    await using app = createProject({ url: nginx.url, auth: bearerAuth(nginx.host, registry.token), composerJson: { require: { 'acme/hello': '^1.0', 'acme/moving': 'dev-main' } } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.locked()['acme/hello']?.dist?.mirrors?.[0]?.url).toBe(`${nginx.url}/dist/%package%/%prettyVersion%.zip?ref=%reference%`);
    expect(await app.php(askWho('acme/hello', 'acme/moving'))).toBe('1.0.0 moving');
  });

  it('scenario 70: the exact template is refused by nginx itself, before it reaches us', async () => {
    const { registry, nginx } = exact;
    await using app = createProject({ url: nginx.url, auth: bearerAuth(nginx.host, registry.token), composerJson: { require: { 'acme/hello': '^1.0' } } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('400');
    expect(registry.log().filter((line) => String(line['path']).startsWith('/p2/'))).toEqual([]);
    expect(app.exists('composer.lock')).toBe(false);
  });
});
