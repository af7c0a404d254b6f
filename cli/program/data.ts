// The commands about a registry as a whole: how it stands, its configuration as a file, its backup.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addData(program: Command, wire: Wire): void {
  const status = withSettings(program.command('status'), 'data', 'state')
    .summary('say what is published, and how the last build ended')
    .description(
      'Say what is published and registered, and how the last build ended: in the data folder here or, with --url, of a remote registry through its API.',
    )
    .option('--url <url>', 'the address of a remote registry, instead of a data folder')
    .option('--token <token>', 'a token of the remote registry (better: LIBRETTO_TOKEN)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example('libretto status', 'LIBRETTO_TOKEN=lib_r_… libretto status --url https://packages.example.org --json'),
    );
  wire(status, () => import('../commands/inspect/status.ts'));
  const doctor = withSettings(program.command('doctor'), 'data', 'redis', 'state', 'origin', 'tlsCert', 'tlsKey')
    .summary('look at everything a registry stands on, and say what to do')
    .description(
      'Look at everything a registry stands on: programs, configuration, data folder, state, packages, Redis, clocks; with --url also at how clients reach it through what stands before it. Changes nothing.',
    )
    .option('--url <url>', 'the address that clients use')
    .option('--token <token>', 'a read token, to look at packages with (better: LIBRETTO_TOKEN)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example('libretto doctor', 'LIBRETTO_TOKEN=lib_r_… libretto doctor --url https://packages.example.org'),
    );
  wire(doctor, () => import('../commands/inspect/doctor.ts'));
  addConfig(program, wire);
  const backup = withSettings(program.command('backup'), 'data', 'state')
    .argument('<directory>', 'a folder that does not exist yet, or an empty one; not below the data folder')
    .summary('copy everything a registry needs to live again')
    .description(
      'Copy everything a registry needs to live again: state, keys, packages, what the builder remembers. Servers go on meanwhile; builds wait. The copy holds the keys: keep it as safe as them.',
    )
    .option('--mirror', 'the archives of other registries too, and not only what was accepted of them')
    .option('--json', 'print what was copied as JSON')
    .addHelpText('after', example('libretto backup /mnt/backups/libretto-2027-01-31'));
  wire(backup, () => import('../commands/backup/backup.ts'));
  const restore = withSettings(program.command('restore'), 'data', 'state')
    .argument('<directory>', 'what `libretto backup` made')
    .summary('make a data folder out of a backup')
    .description(
      'Make a data folder out of a backup. Every byte of the backup is compared with its checksum first; the data folder must be empty, or not exist yet. With --state-only it keeps all but its state, and no server may be at work on it.',
    )
    .option(
      '--state-only',
      'restore users, tokens, settings and the audit log alone, into a data folder that has all else',
    )
    .option(
      '--purged <file>',
      'versions that were purged since, and are to stay so: what `libretto package purged --json` printed, or a data folder',
    )
    .option('--dry-run', 'compare the backup with its checksums, and change nothing')
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      example(
        'libretto restore /mnt/backups/libretto-2027-01-31 --data /srv/libretto',
        'libretto restore /mnt/backups/libretto-2027-01-31 --data /srv/libretto --purged purged.json',
        'libretto restore /mnt/backups/libretto-2027-01-31 --state-only',
        'libretto restore /mnt/backups/libretto-2027-01-31 --dry-run',
      ),
    );
  wire(restore, () => import('../commands/backup/restore.ts'));
}

function addConfig(program: Command, wire: Wire): void {
  const config = program
    .command('config')
    .summary('write what was set up into a file, and bring a registry to it')
    .description(
      'Write repositories, users and settings into a file, and bring another registry to what such a file says. No secret is in it.',
    );
  config
    .showHelpAfterError('Run `libretto config --help` to see the commands.')
    .addHelpText(
      'after',
      example('libretto config export --out registry.json', 'libretto config import registry.json --dry-run'),
    );
  const write = withSettings(config.command('export'), 'data', 'state')
    .summary('write what was set up into a file')
    .description(
      'Write repositories (without credentials), users (without what lets them in), settings, and a list of tokens into one file. Of one state it is always the same bytes.',
    )
    .option('--out <file>', 'where to write it; - for standard output; a file that exists is not replaced', '-')
    .addHelpText('after', example('libretto config export --out registry.json'));
  wire(write, () => import('../commands/config/export.ts'));
  const read = withSettings(config.command('import'), 'data', 'state')
    .argument('<file>', 'what `libretto config export` wrote; - for standard input')
    .summary('bring this registry to what a file says')
    .description(
      'Make the repositories and users of the file that are missing, and change those that differ; nothing is removed. All of it happens, or nothing. Users who are new are invited. Tokens cannot be made of a file.',
    )
    .option('--dry-run', 'say what would change, and change nothing')
    .option('--json', 'print what changed as JSON')
    .addHelpText(
      'after',
      example('libretto config import registry.json --dry-run', 'libretto config import registry.json'),
    );
  wire(read, () => import('../commands/config/import.ts'));
}
