// The text that a server prints after its start. Pure.

import { isEverywhere, localUrl, type ClientAddress } from '../text/address.ts';
import { formatOrigin, type Config } from '../config/config.ts';
import { addressAdvice, addressConflicts, publicUrlOf } from '../config/public-url.ts';
import { counted } from '../io/output.ts';
import type { TreeContents } from '../tree/published-tree.ts';
import { describeCertificate, type CertificateFacts } from '../tls/certificate.ts';

export interface Announced {
  readonly host: string;
  readonly port: number;
  readonly config: Config;
  /** the address of the metrics; undefined: metrics are off */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly tree: TreeContents | undefined;
  /** packages of other repositories are served too */
  readonly mirrors: boolean;
  /** undefined: plain HTTP is served */
  readonly certificate: CertificateFacts | undefined;
  /** the address for clients */
  readonly clients: ClientAddress;
  readonly now: Date;
}

export function announcement(announced: Announced): string[] {
  const { host, port, config, metrics, tree, mirrors, certificate, now } = announced;
  const { data, origin, output } = config;
  const lines = [
    `Serving ${tree === undefined ? 'nothing yet' : counted(tree.names.length, 'package')} on ` +
      `${localUrl(host, port, certificate)}${isEverywhere(host) ? ' and on every other address of this machine' : ''}.`,
  ];
  lines.push(...clientLines(announced));
  lines.push(...addressConflicts(config).map((conflict) => `Warning: ${conflict} ${addressAdvice(config)}`));
  if (origin.value === undefined && output.value !== undefined) lines.push(`The tree is at ${output.value.text}.`);
  if (origin.value !== undefined)
    lines.push(
      `The tree is at ${origin.value.url}.` +
        (tree === undefined ? ' Warning: nothing can be read there yet. The server tries again by itself.' : ''),
    );
  else if (tree?.names.length === 0 && mirrors)
    lines.push('This registry has no packages of its own. It mirrors those of other repositories.');
  else if (tree === undefined || tree.names.length === 0)
    lines.push(
      `Warning: nothing is published in ${data.value}. Run \`libretto build${config.sources.value.length === 0 ? ' SOURCE' : ''}\`; this server ` +
        `serves the packages at once.`,
    );
  if (certificate !== undefined) lines.push(`Certificate: ${describeCertificate(certificate, now)}.`);
  if (metrics !== undefined)
    lines.push(`Metrics: ${localUrl(metrics.host, metrics.port)}/metrics, without authentication.`);
  return lines;
}

/** The address for other machines, where it is another than that for this machine. */
function clientLines({ host, port, certificate, clients, config }: Announced): string[] {
  if (clients.url === localUrl(host, port, certificate)) return [];
  const configured = publicUrlOf(config);
  return configured === undefined
    ? [`Other machines reach it at ${clients.url}.`]
    : [`Clients use ${clients.url} (${formatOrigin(configured.origin)}).`];
}
