// The command that writes the static catalogue.

import type { Command } from 'commander';

import { childOption, example, withSettings, type Wire } from '../commands/command-parts.ts';

export function addSite(program: Command, wire: Wire): void {
  const site = withSettings(program.command('site'), 'data')
    .argument(
      '[directory]',
      'a folder for the catalogue, outside the registry (LIBRETTO_SITE, or `site` in libretto.json)',
    )
    .summary('write the package pages as plain files, for any web server')
    .description(
      'Write a page for each published package as plain files, with a search, for any web server. The catalogue knows ' +
        'no tokens: it shows every package to everyone who can open it. Only pages that changed are written.',
    )
    .option('--json', 'print the result as JSON')
    .addOption(childOption())
    .addHelpText('after', example('libretto site /var/www/packages', 'libretto build --site /var/www/packages'));
  wire(site, () => import('../commands/build/site.ts'));
}
