// `libretto login` and `libretto logout`: the terminal of a person gets a token, and gives it back. `libretto api`: a
// request to the management API.

import type { Command } from 'commander';
import { example, type Wire, collect, orRemote } from '../commands/command-parts.ts';

/** `libretto api`: a request to the management API. */
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

export function addLogin(program: Command, wire: Wire): void {
  const login = program
    .command('login')
    .argument('[url]', 'the address of the registry (LIBRETTO_URL)')
    .summary('sign this terminal in at a registry, as yourself')
    .description(
      'Sign this terminal in at a registry, as yourself. You approve a code in the console. The terminal then has a ' +
        'token with your role. Commands with --url use it if LIBRETTO_TOKEN is not set.',
    )
    .option('--composer', "write the token also into Composer's auth.json")
    .option('--days <days>', 'how long the token is valid, 1 to 90', '30')
    .option('--name <text>', 'the name of this machine in the console (default: its host name)')
    .option('--no-browser', 'do not open a browser')
    .option('--list', 'show where you are signed in')
    .option('--insecure-http', 'sign in without TLS at an http:// address of another machine')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'libretto login https://packages.example.org',
        'libretto login https://packages.example.org --composer',
        'libretto login --list',
      ),
    );
  wire(login, () => import('../commands/login/login.ts'));
  const logout = program
    .command('logout')
    .argument('[url]', 'the address of the registry (default: the only one)')
    .summary('sign this terminal out of a registry')
    .description(
      "Sign this terminal out of a registry. The token ends there, and is removed here, also from Composer's auth.json.",
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('libretto logout', 'libretto logout https://packages.example.org'));
  wire(logout, () => import('../commands/login/logout.ts'));
}
