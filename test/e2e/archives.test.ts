// Tests Libretto's ZIPs with the real Composer: checksums, modes, links, layout, and package types with special rules.

import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

const pluginClass = `<?php

namespace AcmePlugin;

use Composer\\Composer;
use Composer\\IO\\IOInterface;
use Composer\\Plugin\\PluginInterface;

final class Plugin implements PluginInterface
{
    public function activate(Composer $composer, IOInterface $io): void
    {
        file_put_contents(getcwd() . '/plugin-was-here', 'activated');
    }

    public function deactivate(Composer $composer, IOInterface $io): void
    {
    }

    public function uninstall(Composer $composer, IOInterface $io): void
    {
    }
}
`;

describe.skipIf(lacks('composer', 'php', 'unzip'))('archives', () => {
  const source = temporaryTree();
  let registry: Registry;

  const project = (composerJson: Readonly<Record<string, unknown>> = {}): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token), composerJson });

  beforeAll(async () => {
    source.write({
      ...below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')),
      ...below('acme/tool/1.0.0', {
        ...whoLibrary('acme/tool', '1.0.0', { bin: ['bin/tool'] }),
        'bin/tool': { content: '#!/usr/bin/env php\n<?php echo "the tool runs";\n', mode: 0o755 },
        'bin/latest': { link: 'tool' },
        'bin/dead': { link: '../gone/tool' },
        'bin/outside': { link: '/etc/hostname' },
        'docs/guide.md': '# Guide\n',
        '.gitattributes': '/docs export-ignore\n',
      }),
      ...below('acme/only-src/1.0.0', {
        'composer.json': {
          json: {
            name: 'acme/only-src',
            autoload: { classmap: ['src/'] },
            'autoload-dev': { 'psr-4': { Tests: 'tests/' } },
          },
        },
        'src/OnlySrc.php': '<?php final class OnlySrc {}\n',
      }),
      ...below('acme/everything/1.0.0', {
        'composer.json': {
          json: {
            name: 'acme/everything',
            type: 'metapackage',
            require: { 'acme/hello': '^1.0', 'acme/tool': '^1.0' },
          },
        },
      }),
      ...below('acme/plugin/1.0.0', {
        'composer.json': {
          json: {
            name: 'acme/plugin',
            type: 'composer-plugin',
            require: { 'composer-plugin-api': '^2.0' },
            autoload: { 'psr-4': { 'AcmePlugin\\': 'src/' } },
            extra: { class: 'AcmePlugin\\Plugin' },
          },
        },
        'src/Plugin.php': pluginClass,
      }),
    });
    registry = await startRegistry({ sources: [source.root] });
  });

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  it('17: an archive whose bytes differ from the metadata is not installed', async () => {
    await using app = project({ require: { 'acme/hello': '^1.0' } });
    registry.front.damage = (target, body) => {
      if (!target.startsWith('/dist/')) return body;
      const changed = Buffer.from(body);
      changed[Math.floor(changed.length / 2)]! ^= 0xff;
      return changed;
    };
    try {
      const { exitCode, output } = await app.run('update');
      expect(exitCode).not.toBe(0);
      expect(output).toContain('checksum verification of the file failed');
      expect(app.exists('vendor/acme/hello')).toBe(false);
    } finally {
      registry.front.damage = undefined;
    }
  });

  it('21, 22, 23, 24: modes, links, bin and a lone src/ are installed unchanged', async () => {
    await using app = project({ require: { 'acme/tool': '^1.0', 'acme/only-src': '^1.0' } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(app.mode('vendor/acme/tool/bin/tool') & 0o111).toBe(0o111);
    expect(app.mode('vendor/acme/tool/src/Who.php')).toBe(0o644);
    const link = join(app.path, 'vendor/acme/tool/bin/latest');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readlinkSync(link)).toBe('tool');
    expect(readlinkSync(join(app.path, 'vendor/acme/tool/bin/dead'))).toBe('../gone/tool');
    expect(readdirSync(join(app.path, 'vendor/acme/tool/bin'))).not.toContain('outside');
    expect(app.exists('vendor/acme/tool/docs')).toBe(false);
    expect(app.exists('vendor/acme/tool/.gitattributes')).toBe(true);
    expect(await app.php('passthru("vendor/bin/tool");')).toBe('the tool runs');
    expect(app.exists('vendor/acme/only-src/src/OnlySrc.php')).toBe(true);
    expect(app.exists('vendor/acme/only-src/OnlySrc.php')).toBe(false);
    expect(await app.php('echo class_exists(OnlySrc::class) ? "found" : "lost";')).toBe('found');
  });

  itInSeries('41: a metapackage installs its requirements, and its own archive is never requested', async () => {
    await using app = project({ require: { 'acme/everything': '^1.0' } });
    registry.front.take();
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(Object.keys(app.locked()).sort()).toEqual(['acme/everything', 'acme/hello', 'acme/tool']);
    expect(registry.front.take().filter((target) => target.startsWith('/dist/acme/everything/'))).toEqual([]);
    expect(app.exists('vendor/acme/everything')).toBe(false);
    expect(await app.php(askWho('acme/hello', 'acme/tool'))).toBe('1.0.0 1.0.0');
  });

  itInSeries('42: a plugin is inactive until it is allowed, and active then', async () => {
    await using wary = project({ require: { 'acme/plugin': '^1.0' } });
    const refused = await wary.run('update');
    expect(refused.output).toContain('allow-plugins');
    expect(wary.exists('plugin-was-here')).toBe(false);

    await using trusting = project({
      require: { 'acme/plugin': '^1.0' },
      config: { 'allow-plugins': { 'acme/plugin': true } },
    });
    const { exitCode, output } = await trusting.run('update');
    expect(exitCode, output).toBe(0);
    expect(trusting.read('plugin-was-here')).toBe('activated');
    expect(trusting.locked()['acme/plugin']?.['type']).toBe('composer-plugin');
  });
});
