// The commands that serve: `serve`, and `start` for a first registry.

import { Option, type Command } from 'commander';

import { example, withSettings, type Wire } from '../commands/command-parts.ts';

/** The settings of both commands, in the order of `--help`. */
const served = [
  'metadataUrl',
  'trustedProxies',
  'maxIdleConnections',
  'tlsCert',
  'tlsKey',
  'features',
  'oidcIssuers',
  'artifactoryExchange',
  'localSignIn',
  'policy',
  'consoleListen',
  'consoleHosts',
  'consoleAllowHttp',
  'mail',
  'mailFrom',
  'metrics',
  'log',
  'site',
] as const;

export function addServe(program: Command, wire: Wire): void {
  const serve = withSettings(
    program.command('serve'),
    'data',
    'state',
    'output',
    'origin',
    'listen',
    'redis',
    'workers',
    ...served,
  )
    .addOption(new Option('--child', 'serve as a worker of another process').hideHelp())
    .summary('serve the published packages to clients')
    .description('Serve the output tree to Composer clients with a token.')
    .addHelpText(
      'after',
      example(
        'libretto serve --listen 0.0.0.0:8080 --redis redis://127.0.0.1:6379',
        'libretto serve --metadata-url /p2/%package%.json --trusted-proxies 10.0.0.0/8',
        'libretto serve --workers 4 --redis redis://127.0.0.1:6379',
      ),
    );
  wire(serve, () => import('../commands/serve/serve.ts'));
}

export function addStart(program: Command, wire: Wire): void {
  const start = withSettings(program.command('start'), 'data', 'output', 'state', 'jobs', 'listen', 'redis', ...served)
    .summary('build, create a token, serve, and print the install commands')
    .description(
      'Build, create a first read token if there is none, serve, and print the commands that install a package ' +
        'with Composer.',
    )
    .addHelpText('after', example('libretto start --listen 127.0.0.1:9000'));
  wire(start, () => import('../commands/serve/start.ts'));
}
