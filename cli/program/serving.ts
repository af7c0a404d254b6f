// The commands that serve: `serve`, and `start` for a first registry.

import { declaring } from './declare.ts';

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

export const addServe = declaring({
  serve: {
    summary: 'serve the published packages to clients',
    description: 'Serve the output tree to Composer clients with a token.',
    settings: ['data', 'state', 'output', 'origin', 'listen', 'redis', 'workers', ...served],
    options: { '--child': { text: 'serve as a worker of another process', hidden: true } },
    examples: [
      'libretto serve --listen 0.0.0.0:8080 --redis redis://127.0.0.1:6379',
      'libretto serve --metadata-url /p2/%package%.json --trusted-proxies 10.0.0.0/8',
      'libretto serve --workers 4 --redis redis://127.0.0.1:6379',
    ],
    load: () => import('../commands/serve/serve.ts'),
  },
});

export const addStart = declaring({
  start: {
    summary: 'build, create a token, serve, and print the install commands',
    description:
      'Build, create a first read token if there is none, serve, and print the commands that install a package ' +
      'with Composer.',
    settings: ['data', 'output', 'state', 'jobs', 'listen', 'redis', ...served],
    examples: ['libretto start --listen 127.0.0.1:9000'],
    load: () => import('../commands/serve/start.ts'),
  },
});
