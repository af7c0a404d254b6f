// The commands about a whole registry: its status, its state, its configuration as a file, its backup, its catalogue.

import type { Command } from 'commander';
import type { Wire } from '../commands/command-parts.ts';
import { childOption, declaring, declaringGroup, remoteOptions, type Declarations } from './declare.ts';

export function addData(program: Command, wire: Wire): void {
  addChecks(program, wire);
  addConfig(program, wire);
  addBackups(program, wire);
}

const configCommands = {
  export: {
    summary: 'export the configuration to a file',
    description:
      'Export repositories (without credentials), users (without passwords and second factors), settings, trusted ' +
      'publishers, and a list of tokens to one file. The same state always gives the same bytes.',
    settings: ['data', 'state'],
    options: {
      '--out <file>': {
        text: 'the file to write; - for standard output; an existing file is not replaced',
        default: '-',
      },
    },
    examples: ['libretto config export --out registry.json'],
    load: () => import('../commands/config/export.ts'),
  },
  import: {
    operands: { '<file>': 'a file from `libretto config export`; - for standard input' },
    summary: 'import a configuration file into this registry',
    description:
      'Create the missing repositories, users and trusted publishers of the file, and change those that differ. ' +
      'Nothing is removed. If one change fails, none is made. New users are invited. Tokens cannot be created from a file.',
    settings: ['data', 'state'],
    options: {
      '--yes': 'purge versions of this registry that the file lists as purged',
      '--dry-run': 'show the changes without making them',
      '--json': 'print the changes as JSON',
    },
    examples: ['libretto config import registry.json --dry-run', 'libretto config import registry.json'],
    load: () => import('../commands/config/import.ts'),
  },
} satisfies Declarations;

const addConfig = declaringGroup('config', configCommands, {
  summary: 'export the configuration of a registry to a file, or import it',
  description:
    'Export repositories, users, settings and trusted publishers to a file, and import such a file into another ' +
    'registry. The file contains no secrets.',
  examples: ['libretto config export --out registry.json', 'libretto config import registry.json --dry-run'],
});

const addChecks = declaring({
  status: {
    summary: 'the short form of doctor: how much is published, and the last build',
    description:
      'Show the published packages, the registered repositories, and the outcome of the last build. With --url, ' +
      'show those of a remote registry through its API. `libretto doctor` checks everything.',
    settings: ['data', 'state'],
    options: {
      ...remoteOptions,
      '--json': 'print one JSON document',
    },
    examples: ['libretto status', 'LIBRETTO_TOKEN=lib_r_… libretto status --url https://packages.example.org --json'],
    load: () => import('../commands/inspect/status.ts'),
  },
  doctor: {
    summary: 'check all that a registry depends on, and suggest repairs',
    description:
      'Check everything that a registry depends on: programs, configuration, data folder, state, packages, ' +
      'Redis and clocks. With --url, also check how clients reach it through the reverse proxy. The command ' +
      'changes nothing. With --output it leaves one small object at the store, index/_probe.json.',
    settings: ['data', 'redis', 'state'],
    otherSettings: {
      origin: 'check the tree at this web server or object store instead of the data folder',
      output: 'check what this object store can do, and that it has the tree',
      policy: 'check this policy file',
      tlsCert: 'check this certificate of the server, with its intermediate certificates',
      tlsKey: 'check that this private key, without a passphrase, belongs to the certificate',
    },
    options: {
      '--url <url>': 'the address that clients use (LIBRETTO_URL)',
      '--token <token>': 'a read token, to check packages (better: LIBRETTO_TOKEN)',
      ...childOption,
      '--json': 'print one JSON document',
    },
    examples: ['libretto doctor', 'LIBRETTO_TOKEN=lib_r_… libretto doctor --url https://packages.example.org'],
    load: () => import('../commands/inspect/doctor.ts'),
  },
});

const addBackups = declaring({
  backup: {
    operands: { '<directory>': 'a new or empty folder outside the data folder' },
    summary: 'copy everything that is needed to restore a registry',
    description:
      'Copy everything that is needed to restore a registry: state, keys, packages and the records of the ' +
      'builder. Servers keep running; builds wait. The copy contains the keys: protect it like the keys.',
    settings: ['data', 'state'],
    options: {
      '--mirror': 'copy also the archives of other registries, not only the list of accepted archives',
      '--json': 'print the result as JSON',
    },
    examples: ['libretto backup /mnt/backups/libretto-2027-01-31'],
    load: () => import('../commands/backup/backup.ts'),
  },
  restore: {
    operands: { '[directory]': 'a backup made by `libretto backup`' },
    summary: 'restore a data folder from a backup, or make an empty state',
    description:
      'Restore a data folder from a backup. The command first compares every byte of the backup with its ' +
      'checksum. The data folder must be empty or missing. With --state-only, only the state of an existing ' +
      'data folder is replaced, and no server may be running on it. With --empty and no backup, the command makes ' +
      'an empty state; a usable state is never emptied.',
    settings: ['data', 'state'],
    options: {
      '--state-only': 'restore only users, tokens, settings and the audit log, into an existing data folder',
      '--purged <file>':
        'versions that were purged after the backup and stay purged: output of `libretto package list --purged --json`, ' +
        'or a data folder',
      '--empty': 'instead of a backup: make an empty state, without users and tokens',
      '--force':
        'with --empty: give up the lost or damaged state of this data folder. A usable state in its place is kept',
      '--yes': 'purge versions of the backup that --purged names',
      '--dry-run': 'only compare the backup with its checksums, and name the versions that --purged would purge',
      '--json': 'print the result as JSON',
    },
    examples: [
      'libretto restore /mnt/backups/libretto-2027-01-31 --data /srv/libretto',
      'libretto restore /mnt/backups/libretto-2027-01-31 --data /srv/libretto --purged purged.json --yes',
      'libretto restore /mnt/backups/libretto-2027-01-31 --state-only',
      'libretto restore /mnt/backups/libretto-2027-01-31 --dry-run',
      'libretto restore --empty --data /srv/libretto',
    ],
    load: () => import('../commands/backup/restore.ts'),
  },
});

export const addSite = declaring({
  site: {
    operands: {
      '[directory]': 'a folder for the catalogue, outside the registry (LIBRETTO_SITE, or `site` in libretto.json)',
    },
    summary: 'write the package pages as plain files, for any web server',
    description:
      'Write a page for each published package as plain files, with a search, for any web server. The catalogue knows ' +
      'no tokens: it shows every package to everyone who can open it. Only pages that changed are written.',
    settings: ['data'],
    options: {
      '--json': 'print the result as JSON',
      ...childOption,
    },
    examples: ['libretto site /var/www/packages', 'libretto build --site /var/www/packages'],
    load: () => import('../commands/build/site.ts'),
  },
});
