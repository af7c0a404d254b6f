// Plays docs/how-to/bought-plugins.md: a plugin's plain ZIP is published from a folder and by a command, and the real
// Composer installs it where the project wants it. A plugin of Composer stands in for composer/installers.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { blocksOf, blockWith } from '../util/page-blocks.ts';
import { startRegistry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';

const page = 'docs/how-to/bought-plugins.md';

const installer = `<?php
namespace Standin;
use Composer\\Installer\\LibraryInstaller;
use Composer\\Package\\PackageInterface;
class Placer extends LibraryInstaller {
  public function supports($type) { return $type === 'wordpress-plugin'; }
  public function getInstallPath(PackageInterface $package) {
    $paths = array_keys($this->composer->getPackage()->getExtra()['installer-paths']);
    return str_replace('{$name}', explode('/', $package->getName())[1], $paths[0]);
  }
}
class Plugin implements \\Composer\\Plugin\\PluginInterface {
  public function activate(\\Composer\\Composer $c, \\Composer\\IO\\IOInterface $io) {
    $c->getInstallationManager()->addInstaller(new Placer($io, $c));
  }
  public function deactivate(\\Composer\\Composer $c, \\Composer\\IO\\IOInterface $io) {}
  public function uninstall(\\Composer\\Composer $c, \\Composer\\IO\\IOInterface $io) {}
}`;
const standIn = zipOf([
  {
    name: 'composer.json',
    data: JSON.stringify({
      name: 'composer/installers',
      version: '2.0.0',
      type: 'composer-plugin',
      require: { 'composer-plugin-api': '^2.0' },
      autoload: { classmap: ['.'] },
      extra: { class: 'Standin\\Plugin' },
    }),
  },
  { name: 'Plugin.php', data: installer },
]);

const forms = (version: string): Buffer =>
  zipOf([
    { name: 'forms/forms.php', data: `<?php\n/**\n * Plugin Name: Forms\n * Version: ${version}\n */\n` },
    { name: 'forms/lib/a.php', data: '<?php' },
  ]);

it.skipIf(lacks('composer', 'php', 'unzip'))('publishes bought ZIPs, and Composer places them', async () => {
  await using registry = await startRegistry();
  const { folder } = registry;
  mkdirSync(folder.at('bought'));
  writeFileSync(folder.at('bought/forms-2.8.1.zip'), forms('2.8.1'));
  writeFileSync(folder.at('bought/forms.composer.json'), blockWith(page, '"^1.0 || ^2.0"').text);
  writeFileSync(folder.at('bought/formz.composer.json'), '{}');
  writeFileSync(folder.at('bought/installers.zip'), standIn);
  writeFileSync(folder.at('forms.zip'), forms('2.9.0'));
  const lines = blocksOf(page).flatMap(({ language, text }) => (language === 'sh' ? text.trim().split('\n') : []));
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const { exitCode, stdout, stderr } = await registry.cli(...line.split(' ').slice(1));
    expect(exitCode, `${line}\n${stdout}${stderr}`).toBe(0);
    if (line.includes('build')) {
      expect(stdout).toContain('+ acme/forms 2.8.1');
      expect(`${stdout}${stderr}`).toContain('formz.composer.json describes no archive');
    } else expect(stdout).toMatch(/^(?:Would publish|Published) acme\/forms 2\.9\.0 /);
  }

  const { repositories: _there, ...composerJson } = JSON.parse(blockWith(page, 'installer-paths').text) as object & {
    repositories: unknown;
  };
  await using project = createProject({
    url: registry.url,
    auth: bearerAuth(registry.front.host, registry.token),
    composerJson,
  });
  const outcome = await project.run('update');
  expect(outcome.exitCode, outcome.output).toBe(0);
  expect(project.locked()['acme/forms']).toMatchObject({ version: '2.9.0', type: 'wordpress-plugin' });
  expect(project.read('wp-content/plugins/forms/forms.php')).toContain('Version: 2.9.0');
  expect((await registry.cli('verify')).exitCode).toBe(0);

  // the vendor's file changes under the same name: the published version stays
  writeFileSync(folder.at('bought/forms.composer.json'), '{"name": "acme/forms", "type": "library"}');
  const changed = await registry.cli('build');
  expect([changed.exitCode, changed.stdout + changed.stderr]).toEqual([
    1,
    expect.stringContaining('VERSION_CHANGED') as string,
  ]);
  rmSync(folder.at('bought/forms.composer.json'));
  const without = await registry.cli('build');
  expect(without.stdout + without.stderr).toContain('PLUGIN.zip needs PLUGIN.composer.json');
});

it('asks for both flags, and leaves folders alone', async () => {
  await using registry = await startRegistry();
  writeFileSync(registry.folder.at('forms.zip'), forms('1.0'));
  const named = await registry.cli('publish', 'forms.zip', '--name', 'acme/forms');
  expect([named.exitCode, named.stderr]).toEqual([2, expect.stringContaining('--name and --type together') as string]);
  const ofFolder = await registry.cli('publish', '.', '--name', 'acme/forms', '--type', 'library');
  expect([ofFolder.exitCode, ofFolder.stderr]).toEqual([2, expect.stringContaining('are for an archive') as string]);
});
