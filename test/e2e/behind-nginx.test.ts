// Tests a minimal nginx that refuses the exact metadata-url: its clients get the plain form, all others the exact one.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { startNginx, type Nginx } from '../util/nginx.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php', 'nginx'))('behind nginx', () => {
  const source = temporaryTree({
    ...below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')),
    ...below('acme/moving', whoLibrary('acme/moving', undefined, {}, 'moving')),
  });
  const started: { registry: Registry; nginx: Nginx }[] = [];

  const start = async (
    location: (registry: string) => string,
    ...flags: readonly string[]
  ): Promise<{ registry: Registry; nginx: Nginx }> => {
    const registry = await startRegistry({ sources: [source.root], serve: flags });
    const nginx = await startNginx(`location / { ${location(registry.direct())} }`);
    started.push({ registry, nginx });
    return { registry, nginx };
  };

  const twoLines = (address: string): string => `proxy_pass ${address};`;
  /** Adds no header by which the registry could recognize nginx. */
  const unknown = (address: string): string => `proxy_pass ${address}; proxy_http_version 1.1;`;
  let detected: { registry: Registry; nginx: Nginx };
  beforeAll(async () => {
    detected = await start(twoLines);
  });

  afterAll(async () => {
    for (const { registry, nginx } of started) {
      await nginx.stop();
      await registry.stop();
    }
    source.remove();
  });

  const install = async (place: { readonly url: string; readonly host: string }, registry: Registry): Promise<void> => {
    await using app = createProject({
      url: place.url,
      auth: bearerAuth(place.host, registry.token),
      composerJson: { require: { 'acme/hello': '^1.0', 'acme/moving': 'dev-main' } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.locked()['acme/hello']?.dist?.mirrors?.[0]?.url).toBe(
      `${place.url}/dist/%package%/%prettyVersion%.zip?ref=%reference%`,
    );
    expect(await app.php(askWho('acme/hello', 'acme/moving'))).toBe('1.0.0 moving');
    await settled(registry);
  };
  let marks = 0;
  /** The log is written a moment after an answer: a request of the test marks the end of the earlier ones. */
  const settled = async (registry: Registry): Promise<void> => {
    const mark = `/mark-${(marks += 1)}`;
    await fetch(`${registry.direct()}${mark}`);
    await vi.waitFor(() => expect(registry.log().map((line) => line['path'])).toContain(mark), { timeout: 60_000 });
  };
  const documentsAsked = (registry: Registry): readonly string[] =>
    registry
      .log()
      .map((line) => String(line['path']))
      .filter((path) => path.startsWith('/p2/'));

  it('scenario 70: the plain two-line proxy_pass installs releases and branches', async () => {
    const { registry, nginx } = detected;
    await install(nginx, registry);
    expect(documentsAsked(registry)).toEqual(
      expect.arrayContaining(['/p2/acme/hello.json', '/p2/acme/moving~dev.json']),
    );
    expect(documentsAsked(registry).filter((path) => path.includes('$'))).toEqual([]);
  });

  itInSeries('a client without the proxy requests the exact form, before and after', async () => {
    const { registry, nginx } = detected;
    const url = registry.direct();
    for (const place of [{ url, host: new URL(url).host }, nginx, { url, host: new URL(url).host }]) {
      const before = documentsAsked(registry).length;
      await install(place, registry);
      const asked = documentsAsked(registry).slice(before);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.every((path) => path.endsWith('$%hash%.json') === (place !== nginx))).toBe(true);
    }
  });

  itInSeries('a setting fixes the plain form, where nginx adds no header that identifies it', async () => {
    const { registry, nginx } = await start(unknown, '--metadata-url', '/p2/%package%.json');
    await install(nginx, registry);
    await install({ url: registry.direct(), host: new URL(registry.direct()).host }, registry);
    expect(documentsAsked(registry).filter((path) => path.includes('$'))).toEqual([]);
  });

  itInSeries('a setting fixes the exact form, which nginx itself refuses', async () => {
    const { registry, nginx } = await start(twoLines, '--metadata-url', '/p2/%package%$%hash%.json');
    await using app = createProject({
      url: nginx.url,
      auth: bearerAuth(nginx.host, registry.token),
      composerJson: { require: { 'acme/hello': '^1.0' } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('400');
    expect(registry.log().filter((line) => String(line['path']).startsWith('/p2/'))).toEqual([]);
    expect(app.exists('composer.lock')).toBe(false);
  });
});
