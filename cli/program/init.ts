// `libretto init`: the first configuration of a registry.

import type { Command } from 'commander';

import { collect, example, type Wire } from '../commands/command-parts.ts';

const sources =
  'a folder of packages, a git repository, its URL, or a folder of ZIPs and tars (repeatable); none: packages are uploaded';

export function addInit(program: Command, wire: Wire): void {
  const init = program
    .command('init')
    .summary('write a libretto.json, by questions or flags')
    .description(
      'Write the configuration of a new registry: libretto.json, and on wish systemd units and the configuration of ' +
        'the reverse proxy. The command asks at a terminal for all that no flag answers. An existing file is never ' +
        'replaced.',
    )
    .option('--source <source>', sources, collect)
    .option('--public-url <url>', 'the address for clients, or none for this machine alone')
    .option('--proxy <none|nginx|caddy|haproxy>', 'the reverse proxy in front of the registry')
    .option('--proxy-address <ranges>', 'its address or network, as this machine sees it (default: 127.0.0.1)')
    .option('--tls <proxy|own|none>', 'where TLS ends: at the proxy, in Libretto, or nowhere')
    .option('--tls-cert <file>', 'with --tls own: the certificate and its chain, a PEM file')
    .option('--tls-key <file>', 'with --tls own: its private key, a PEM file')
    .option('--git-hosts <hosts>', 'git servers in your network: names, addresses or ranges, with commas, or none')
    .option('--listen <host:port>', 'the address and port to serve on')
    .option('-d, --data <directory>', 'the data folder')
    .option('--systemd <directory>', 'write systemd units into this folder')
    .option('--nginx <file>', 'write the configuration of nginx')
    .option('--caddy <file>', 'write the configuration of Caddy')
    .option('--haproxy <file>', 'write the configuration of HAProxy')
    .option('--archives <path|absolute>', 'archive addresses: with absolute, Composer says why one is refused')
    .option('--count-by <version|token>', 'count downloads by version, or by token, which shows who uses what')
    .option('--out <file>', 'the file to write', 'libretto.json')
    .option('--yes', 'ask nothing, and take the standard answers')
    .addHelpText(
      'after',
      example(
        'libretto init',
        'libretto init --source ./packages --yes',
        'libretto init --source https://git.example.org/acme/tool.git --public-url https://packages.example.org ' +
          '--nginx libretto.conf --systemd . --yes',
      ),
    );
  wire(init, () => import('../commands/init/init.ts'));
}
