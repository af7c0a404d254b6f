// `libretto login` and `libretto logout`: the terminal of a person gets a token, and gives it back. `libretto api`: a
// request to the management API.

import { declaring, remoteOptions } from './declare.ts';

/** `libretto api`: a request to the management API. */
export const addApi = declaring({
  api: {
    operands: {
      '<method>': 'GET, POST, PUT, PATCH or DELETE',
      '<path>': 'a path of the API, such as /api/packages; docs/reference/api.md has all',
    },
    summary: 'send one request to the management API',
    description:
      'Send one request to the management API of a running registry, and print the JSON of its answer. The exit code is ' +
      '1 for a refusal.',
    options: {
      ...remoteOptions,
      '--field <name=value>': {
        text: 'a field of the body; with GET, of the query; NAME[]=VALUE adds an entry to a list (repeatable)',
        repeatable: true,
      },
      '--input <file>': 'a file with the JSON of the body, or - for standard input',
      '--all': 'read all pages of a list',
    },
    examples: [
      'libretto api GET /api/packages --field limit=10',
      'libretto api POST /api/repositories --field type=git --field url=https://git.example.org/acme/tool.git',
      'libretto api GET /api/tokens --all --url https://packages.example.org',
    ],
    load: () => import('../commands/api/api.ts'),
  },
});

export const addLogin = declaring({
  login: {
    operands: { '[url]': 'the address of the registry (LIBRETTO_URL)' },
    summary: 'sign this terminal in at a registry, as yourself',
    description:
      'Sign this terminal in at a registry, as yourself. You approve a code in the console. The terminal then has a ' +
      'token with your role. Commands with --url use it if LIBRETTO_TOKEN is not set.',
    options: {
      '--composer': "write the token also into Composer's auth.json",
      '--days <days>': { text: 'how long the token is valid, 1 to 90', default: '30' },
      '--name <text>': 'the name of this machine in the console (default: its host name)',
      '--no-browser': 'do not open a browser',
      '--list': 'show where you are signed in',
      '--insecure-http': 'sign in without TLS at an http:// address of another machine',
      '--json': 'print the result as JSON',
    },
    examples: [
      'libretto login https://packages.example.org',
      'libretto login https://packages.example.org --composer',
      'libretto login --list',
    ],
    load: () => import('../commands/login/login.ts'),
  },
  logout: {
    operands: { '[url]': 'the address of the registry (default: the only one)' },
    summary: 'sign this terminal out of a registry',
    description:
      "Sign this terminal out of a registry. The token ends there, and is removed here, also from Composer's auth.json.",
    options: { '--json': 'print the result as JSON' },
    examples: ['libretto logout', 'libretto logout https://packages.example.org'],
    load: () => import('../commands/login/logout.ts'),
  },
});
