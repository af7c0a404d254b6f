// Fills the deployment files of docs/deploy/ with the answers. The files name packages.example.org, 127.0.0.1:8080,
// /etc/libretto and /var/lib/libretto; their filled form differs in these places alone. Pure.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import type { Answers } from './answers.ts';

export interface Filling {
  readonly answers: Answers;
  /** absolute: libretto.json in its final place */
  readonly config: string;
  /** the words of the command that starts this program, absolute: `/usr/bin/node`, `/opt/libretto/lib/cli/main.js` */
  readonly program: readonly string[];
  /** an address of this machine for a proxy on another one */
  readonly networkAddress: string | undefined;
}

const [exampleHost, exampleListen] = ['packages.example.org', '127.0.0.1:8080'];
const [exampleFolder, exampleData] = ['/etc/libretto', '/var/lib/libretto'];

/** The systemd units, by the names of their files. */
export const unitFiles = ['libretto.service', 'libretto-build.service', 'libretto-build.timer'] as const;

export const proxyTemplates = { nginx: 'nginx.conf', caddy: 'Caddyfile', haproxy: 'haproxy.cfg' } as const;

/** The script that starts the program as the units do, for operators. */
export const operatorFile = 'libretto-operator';

export function fillOperator(template: string, { config, program }: Filling): string {
  return template
    .replace(/^program=.*$/m, () => `program=${quoteForShell(program.at(-1) ?? '')}`)
    .replace(/^configuration=.*$/m, () => `configuration=${quoteForShell(config)}`);
}

export function fillUnit(template: string, { answers: { data, listen }, config, program }: Filling): string {
  const folder = config.slice(0, config.lastIndexOf('/')) || '/';
  const filled = template
    .replaceAll(
      /^ExecStart=.*\s(serve|build)$/gm,
      (_, command: string) => `ExecStart=${quoteCommand(program)} ${command}`,
    )
    .replaceAll(`${exampleFolder}/libretto.json`, config)
    .replaceAll(new RegExp(`^WorkingDirectory=${exampleFolder}$`, 'gm'), `WorkingDirectory=${folder}`);
  return withPort(withData(filled, data), listen);
}

/** systemd makes folders below /var/lib by their names; another folder has to exist. */
function withData(template: string, data: string): string {
  if (data === exampleData) return template;
  const unit = template.replaceAll(`# ${exampleData}: `, () => `# ${data}: `);
  const below = /^\/var\/lib\/([\w.-][\w./-]*)$/.exec(data)?.[1];
  if (below !== undefined) return unit.replaceAll(/^StateDirectory=.*$/gm, `StateDirectory=${below}`);
  return unit
    .replaceAll(/^StateDirectory=.*$/gm, () => `ReadWritePaths=${quoteForUnit(data)}`)
    .replaceAll(/^StateDirectoryMode=.*\n/gm, '');
}

/** A port below 1024 needs a right that the service's user does not have. */
function withPort(unit: string, listen: string): string {
  const port = Number(/(\d+)$/.exec(listen)?.[1]);
  if (port === 0 || port >= 1024 || !/^ExecStart=.*\sserve$/m.test(unit)) return unit;
  return unit
    .replaceAll(/^CapabilityBoundingSet=.*$/gm, 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE')
    .replace(/^NoNewPrivileges=/m, 'AmbientCapabilities=CAP_NET_BIND_SERVICE\nNoNewPrivileges=');
}

export function fillProxyFile(template: string, { answers, networkAddress = '127.0.0.1' }: Filling): string {
  const { hostname, port } = new URL(answers.publicUrl ?? `https://${exampleHost}`);
  const upstream = answers.listen.replace(/^(?:0\.0\.0\.0|\[::\]):/, `${networkAddress}:`);
  const filled = template
    .replace(` Replace ${exampleHost} everywhere.`, '')
    .replaceAll(exampleHost, hostname)
    .replaceAll(exampleListen, upstream)
    // the example of HAProxy has two hosts
    .replaceAll(/^(\s*server one )\S+/gm, `$1${upstream}`)
    .replaceAll(/^\s*server two .*\n/gm, '');
  return port === '' ? filled : withClientPort(filled, hostname, port);
}

/** Clients use another port than 443. */
function withClientPort(file: string, hostname: string, port: string): string {
  return file
    .replaceAll(/^(\s*listen (?:\[::\]:)?)443\b/gm, `$1${port}`)
    .replaceAll(/^(\s*bind :)443\b/gm, `$1${port}`)
    .replaceAll('https://$host$request_uri', () => `https://$host:${port}$request_uri`)
    .replaceAll(`\n${hostname} {`, `\n${hostname}:${port} {`);
}

// Words in a systemd unit: systemd.syntax(7) for quotes and escapes, systemd.unit(5) for specifiers. Pure.

/** One word of a list, such as a path of `ReadWritePaths=`. In quotes only where the word needs them. */
function quoteForUnit(word: string): string {
  if (/^[\w./:@,+=-]+$/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, (character) => `\\${character}`).replaceAll('%', '%%')}"`;
}

/** The words of `ExecStart=`. systemd replaces variables in arguments, not in the path of the program. */
function quoteCommand([program = '', ...rest]: readonly string[]): string {
  return [quoteForUnit(program), ...rest.map((word) => quoteForUnit(word).replaceAll('$', '$$$$'))].join(' ');
}
