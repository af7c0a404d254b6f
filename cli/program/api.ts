// `libretto api`: a request to the management API.

import type { Command } from 'commander';

import { collect, example, orRemote, type Wire } from '../commands/command-parts.ts';

export function addApi(program: Command, wire: Wire): void {
  const api = orRemote(program.command('api'))
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
    .argument('<path>', 'a path of the API, such as /api/packages; docs/reference/api.md has all')
    .summary('send one request to the management API')
    .description(
      'Send one request to the management API of a running registry, and print the JSON of its answer. The exit code is ' +
        '1 for a refusal.',
    )
    .option(
      '--field <name=value>',
      'a field of the body; with GET, of the query; NAME[]=VALUE adds an entry to a list (repeatable)',
      collect,
    )
    .option('--input <file>', 'a file with the JSON of the body, or - for standard input')
    .option('--all', 'read all pages of a list')
    .addHelpText(
      'after',
      example(
        'libretto api GET /api/packages --field limit=10',
        'libretto api POST /api/repositories --field type=git --field url=https://git.example.org/acme/tool.git',
        'libretto api GET /api/tokens --all --url https://packages.example.org',
      ),
    );
  wire(api, () => import('../commands/api/api.ts'));
}
