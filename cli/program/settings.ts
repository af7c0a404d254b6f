// The commands for settings and for the audit log.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

const withJson = (command: Command, ...examples: string[]): Command =>
  withSettings(command, 'data', 'state')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example(...examples));

export function addSettings(program: Command, wire: Wire): void {
  const settings = program
    .command('settings')
    .summary('list and change what can be set while the registry runs')
    .description(
      'List and change the settings that can be changed while the registry runs. They act at once, in a running server too.',
    );
  settings.showHelpAfterError('Run `libretto settings --help` to see the commands.');
  settings.addHelpText('after', example('libretto settings list', 'libretto settings set limits.read 5000'));
  const list = settings
    .command('list')
    .summary('list the settings')
    .description('List the settings, each with its value and where that comes from.');
  wire(withJson(list, 'libretto settings list --json'), () => import('../commands/settings/list.ts'));
  const set = settings
    .command('set')
    .argument('<setting>', 'one of the list')
    .argument('<value>', 'a number, true, false, text, or a list in JSON')
    .summary('change a setting')
    .description(
      'Change a setting. It stands above libretto.json; what a flag or a variable of the server says stays above it.',
    );
  wire(
    withJson(set, 'libretto settings set limits.read 5000', 'libretto settings set metadata_url /p2/%package%.json'),
    () => import('../commands/settings/set.ts'),
  );
  const unset = settings
    .command('unset')
    .argument('<setting>', 'one of the list')
    .summary('take a change back')
    .description('Take a change back: libretto.json or the default counts again.');
  wire(withJson(unset, 'libretto settings unset limits.read'), () => import('../commands/settings/unset.ts'));
}

export function addAudit(program: Command, wire: Wire): void {
  const audit = program
    .command('audit')
    .summary('read and verify the audit log')
    .description('Read and verify the audit log: every change and every refused login is one event in it.');
  audit.showHelpAfterError('Run `libretto audit --help` to see the commands.');
  audit.addHelpText('after', example('libretto audit list --action token.create', 'libretto audit verify'));
  const list = audit
    .command('list')
    .summary('list events, newest first')
    .description('List the newest events, or the newest of those that fit.')
    .option('--actor <actor>', 'who did it, such as user:usr_9QwErTy04fHj2kLm or cli:root')
    .option('--action <action>', 'what was done, such as token.create')
    .option('--subject <id>', 'what it was done to')
    .option('--since <time>', 'from this day or instant on')
    .option('--until <time>', 'before this day or instant')
    .option('--limit <n>', 'how many at most', '50');
  wire(
    withJson(list, 'libretto audit list --action login.refused --since 2027-01-31'),
    () => import('../commands/audit/list.ts'),
  );
  const verify = audit
    .command('verify')
    .summary('prove that no event was changed or removed')
    .description('Prove that no event was changed, moved or removed. Exit code 1 names the first that was.')
    .option('--head <seq:hash>', 'a head that was printed or logged earlier: the log must still hold that event');
  wire(withJson(verify, 'libretto audit verify --head 120:5f0c…'), () => import('../commands/audit/verify.ts'));
}
