// `libretto init`: the first configuration of a registry.

import { declaring } from './declare.ts';

const sources =
  'a folder of packages, a git repository, its URL, or a folder of ZIPs and tars (repeatable); none: packages are uploaded';

export const addInit = declaring({
  init: {
    summary: 'write a libretto.json, by questions or flags',
    description:
      'Write the configuration of a new registry: libretto.json, and on wish systemd units and the configuration of ' +
      'the reverse proxy. The command asks at a terminal for all that no flag answers. An existing file is never ' +
      'replaced.',
    options: {
      '--source <source>': { text: sources, repeatable: true },
      '--public-url <url>': 'the address for clients, or none for this machine alone',
      '--proxy <none|nginx|caddy|haproxy>': 'the reverse proxy in front of the registry',
      '--proxy-address <ranges>': 'its address or network, as this machine sees it (default: 127.0.0.1)',
      '--tls <proxy|own|none>': 'where TLS ends: at the proxy, in Libretto, or nowhere',
      '--tls-cert <file>': 'with --tls own: the certificate and its chain, a PEM file',
      '--tls-key <file>': 'with --tls own: its private key, a PEM file',
      '--git-hosts <hosts>': 'git servers in your network: names, addresses or ranges, with commas, or none',
      '--listen <host:port>': 'the address and port to serve on',
      '-d, --data <directory>': 'the data folder',
      '--systemd <directory>': 'write systemd units into this folder',
      '--nginx <file>': 'write the configuration of nginx',
      '--caddy <file>': 'write the configuration of Caddy',
      '--haproxy <file>': 'write the configuration of HAProxy',
      '--archives <path|absolute>': 'archive addresses: with absolute, Composer says why one is refused',
      '--count-by <version|token>': 'count downloads by version, or by token, which shows who uses what',
      '--out <file>': { text: 'the file to write', default: 'libretto.json' },
      '--yes': 'ask nothing, and take the standard answers',
    },
    examples: [
      'libretto init',
      'libretto init --source ./packages --yes',
      'libretto init --source https://git.example.org/acme/tool.git --public-url https://packages.example.org ' +
        '--nginx libretto.conf --systemd . --yes',
    ],
    load: () => import('../commands/init/init.ts'),
  },
});
