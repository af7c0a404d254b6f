// The commands that check and explain published packages, and the command that removes unused archives.

import type { Command } from 'commander';

import { example, withRegistry, withSettings, type Wire } from '../commands/command-parts.ts';

export function addTrust(program: Command, wire: Wire): void {
  for (const add of [addVerify, addWhy, addUsage, addTell, addReport, addImpact, addPrune]) add(program, wire);
}

function addVerify(program: Command, wire: Wire): void {
  const verify = withSettings(program.command('verify'), 'data', 'output')
    .summary('check that the output tree is complete and intact')
    .description(
      'Read the output tree again and check that every file it names exists with the right bytes. Every object of a ' +
        'store is read, too.',
    )
    .option('--fast', 'check only the existence and size of archives, READMEs, CHANGELOGs, and objects of a store')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', example('libretto verify --data /srv/libretto', 'libretto verify --fast'));
  wire(verify, () => import('../commands/inspect/verify.ts'));
}

function addWhy(program: Command, wire: Wire): void {
  const why = withSettings(program.command('why'), 'data', 'state')
    .argument('<package>', 'vendor/name')
    .argument('[version]', 'one version, published or not')
    .summary('explain which versions of a package are published, and why')
    .description(
      'Show which versions of a package are published, from which source and since when; or explain why a ' +
        'version is not published. The exit code is 1 if it is not published.',
    )
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', example('libretto why acme/hello', 'libretto why acme/hello 1.2.0'));
  wire(why, () => import('../commands/inspect/why.ts'));
}

function addUsage(program: Command, wire: Wire): void {
  const usage = program
    .command('usage')
    .argument('<package>', 'vendor/name')
    .argument('[constraint]', "only versions that satisfy it, in Composer's syntax")
    .option('--since <day>', 'only uses on this day in UTC or later')
    .option('--csv', 'print a CSV file')
    .summary('list the tokens that use a package')
    .description(
      'List the tokens that downloaded or installed each version of a package. They are counted if the setting ' +
        'statistics.by is token.',
    );
  wire(
    withRegistry(usage, 'reads', 'libretto usage acme/hello', 'libretto usage acme/hello "1.2.*" --since 2026-11-01'),
    () => import('../commands/usage/usage.ts'),
  );
}

function addTell(program: Command, wire: Wire): void {
  const tell = program
    .command('tell')
    .argument('<package>', 'vendor/name')
    .argument('[constraint]', "only users of versions that satisfy it, in Composer's syntax")
    .requiredOption('--subject <text>', 'the subject of the mail')
    .requiredOption('--text <text>', 'its text; an empty line separates paragraphs')
    .option('--yes', 'send the mail; without it the command shows the mail')
    .summary('write to the owners of tokens that use a package')
    .description('Send a mail to the people whose tokens and projects use a package.');
  const examples = ['libretto tell acme/hello "1.2.*" --subject "1.2 ends" --text "Please update to 1.3."'];
  wire(withRegistry(tell, 'session', ...examples), () => import('../commands/usage/tell.ts'));
}

function addReport(program: Command, wire: Wire): void {
  const report = program
    .command('report')
    .argument('[lock]', 'a composer.lock file')
    .requiredOption('--project <name>', 'the name of the project')
    .option('--remove', 'remove the project instead')
    .summary('report what a project runs')
    .description('Report which versions of this registry a project runs, in place of its last report.');
  const examples = [
    'libretto report composer.lock --project acme/shop',
    'libretto report --remove --project acme/shop',
  ];
  wire(withRegistry(report, 'changes', ...examples), () => import('../commands/usage/report.ts'));
}

function addImpact(program: Command, wire: Wire): void {
  const impact = withSettings(program.command('impact'), 'data')
    .argument('<lock...>', 'composer.lock files')
    .summary('list locked packages that differ from their lock file')
    .description(
      'Compare lock files with the published packages, and list packages that are missing, withdrawn or have ' +
        'other bytes now. The exit code is 1 if there are any. Packages that this registry does not know count ' +
        'as packages of other registries.',
    )
    .option(
      '--url <url>',
      'the address of this registry: packages with a dist address there count as its own, also if unknown (LIBRETTO_URL)',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      example(
        'libretto impact composer.lock',
        'libretto impact --url https://packages.example.org shop/composer.lock blog/composer.lock',
      ),
    );
  wire(impact, () => import('../commands/inspect/impact.ts'));
}

function addPrune(program: Command, wire: Wire): void {
  const prune = withSettings(program.command('prune'), 'data', 'output')
    .summary('remove archives that are no longer referenced')
    .description(
      'Remove the archives of withdrawn or replaced versions. An archive stays while a document or a recorded ' +
        'publication names it, and for the time of --keep-for, because lock files may name it.',
    )
    .option(
      '--keep-for <span>',
      'the minimum time that an archive stays after it was last published: 180d, 4w or 12h',
      '180d',
    )
    .option('--dry-run', 'show what would be removed, without removing it')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', example('libretto prune --dry-run', 'libretto prune --keep-for 365d'));
  wire(prune, () => import('../commands/build/prune.ts'));
}
