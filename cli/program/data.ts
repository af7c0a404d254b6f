// The commands about a whole registry: its status, its state, its configuration as a file, its backup, its catalogue.

import type { Command } from 'commander';
import { addGroup, addSetting, childOption, example, withSettings, type Wire } from '../commands/command-parts.ts';

export function addData(program: Command, wire: Wire): void {
  for (const add of [addStatus, addDoctor, addConfig, addBackup, addRestore]) add(program, wire);
}

function addStatus(program: Command, wire: Wire): void {
  const status = withSettings(program.command('status'), 'data', 'state')
    .summary('the short form of doctor: how much is published, and the last build')
    .description(
      'Show the published packages, the registered repositories, and the outcome of the last build. With --url, ' +
        'show those of a remote registry through its API. `libretto doctor` checks everything.',
    )
    .option('--url <url>', 'the address of a remote registry, instead of a data folder (LIBRETTO_URL)')
    .option('--token <token>', 'a token of the remote registry (better: LIBRETTO_TOKEN)')
    .option('--insecure-http', 'send the token without TLS to an http:// address of another machine')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example('libretto status', 'LIBRETTO_TOKEN=lib_r_… libretto status --url https://packages.example.org --json'),
    );
  wire(status, () => import('../commands/inspect/status.ts'));
}

function addDoctor(program: Command, wire: Wire): void {
  const doctor = withSettings(program.command('doctor'), 'data', 'redis', 'state');
  addSetting(doctor, 'origin', 'check the tree at this web server or object store instead of the data folder');
  addSetting(doctor, 'output', 'check what this object store can do, and that it has the tree');
  addSetting(doctor, 'policy', 'check this policy file');
  addSetting(doctor, 'tlsCert', 'check this certificate of the server, with its intermediate certificates');
  addSetting(doctor, 'tlsKey', 'check that this private key, without a passphrase, belongs to the certificate');
  doctor
    .summary('check all that a registry depends on, and suggest repairs')
    .description(
      'Check everything that a registry depends on: programs, configuration, data folder, state, packages, ' +
        'Redis and clocks. With --url, also check how clients reach it through the reverse proxy. The command ' +
        'changes nothing.',
    )
    .option('--url <url>', 'the address that clients use (LIBRETTO_URL)')
    .option('--token <token>', 'a read token, to check packages (better: LIBRETTO_TOKEN)')
    .addOption(childOption())
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example('libretto doctor', 'LIBRETTO_TOKEN=lib_r_… libretto doctor --url https://packages.example.org'),
    );
  wire(doctor, () => import('../commands/inspect/doctor.ts'));
}

function addBackup(program: Command, wire: Wire): void {
  const backup = withSettings(program.command('backup'), 'data', 'state')
    .argument('<directory>', 'a new or empty folder outside the data folder')
    .summary('copy everything that is needed to restore a registry')
    .description(
      'Copy everything that is needed to restore a registry: state, keys, packages and the records of the ' +
        'builder. Servers keep running; builds wait. The copy contains the keys: protect it like the keys.',
    )
    .option('--mirror', 'copy also the archives of other registries, not only the list of accepted archives')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('libretto backup /mnt/backups/libretto-2027-01-31'));
  wire(backup, () => import('../commands/backup/backup.ts'));
}

function addRestore(program: Command, wire: Wire): void {
  const restore = withSettings(program.command('restore'), 'data', 'state')
    .argument('[directory]', 'a backup made by `libretto backup`')
    .summary('restore a data folder from a backup, or make an empty state')
    .description(
      'Restore a data folder from a backup. The command first compares every byte of the backup with its ' +
        'checksum. The data folder must be empty or missing. With --state-only, only the state of an existing ' +
        'data folder is replaced, and no server may be running on it. With --empty and no backup, the command makes ' +
        'an empty state; a usable state is never emptied.',
    )
    .option('--state-only', 'restore only users, tokens, settings and the audit log, into an existing data folder')
    .option(
      '--purged <file>',
      'versions that were purged after the backup and stay purged: output of `libretto package list --purged --json`, ' +
        'or a data folder',
    )
    .option('--empty', 'instead of a backup: make an empty state, without users and tokens')
    .option(
      '--force',
      'with --empty: give up the lost or damaged state of this data folder. A usable state in its place is kept',
    )
    .option('--yes', 'purge versions of the backup that --purged names')
    .option('--dry-run', 'only compare the backup with its checksums, and name the versions that --purged would purge')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'libretto restore /mnt/backups/libretto-2027-01-31 --data /srv/libretto',
        'libretto restore /mnt/backups/libretto-2027-01-31 --data /srv/libretto --purged purged.json --yes',
        'libretto restore /mnt/backups/libretto-2027-01-31 --state-only',
        'libretto restore /mnt/backups/libretto-2027-01-31 --dry-run',
        'libretto restore --empty --data /srv/libretto',
      ),
    );
  wire(restore, () => import('../commands/backup/restore.ts'));
}

function addConfig(program: Command, wire: Wire): void {
  const config = addGroup(program, 'config', {
    summary: 'export the configuration of a registry to a file, or import it',
    description:
      'Export repositories, users, settings and trusted publishers to a file, and import such a file into another ' +
      'registry. The file contains no secrets.',
    examples: ['libretto config export --out registry.json', 'libretto config import registry.json --dry-run'],
  });
  const write = withSettings(config.command('export'), 'data', 'state')
    .summary('export the configuration to a file')
    .description(
      'Export repositories (without credentials), users (without passwords and second factors), settings, trusted ' +
        'publishers, and a list of tokens to one file. The same state always gives the same bytes.',
    )
    .option('--out <file>', 'the file to write; - for standard output; an existing file is not replaced', '-')
    .addHelpText('after', example('libretto config export --out registry.json'));
  wire(write, () => import('../commands/config/export.ts'));
  const read = withSettings(config.command('import'), 'data', 'state')
    .argument('<file>', 'a file from `libretto config export`; - for standard input')
    .summary('import a configuration file into this registry')
    .description(
      'Create the missing repositories, users and trusted publishers of the file, and change those that differ. ' +
        'Nothing is removed. If one change fails, none is made. New users are invited. Tokens cannot be created from a file.',
    )
    .option('--yes', 'purge versions of this registry that the file lists as purged')
    .option('--dry-run', 'show the changes without making them')
    .option('--json', 'print the changes as JSON')
    .addHelpText(
      'after',
      example('libretto config import registry.json --dry-run', 'libretto config import registry.json'),
    );
  wire(read, () => import('../commands/config/import.ts'));
}

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
