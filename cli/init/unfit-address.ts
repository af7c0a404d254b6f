// Compares the address for clients with the server that answers there: its port, and the names of its certificate.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { X509Certificate } from 'node:crypto';

import { certificateNames } from '../../proxy/core/http/http2/certificate-names.ts';
import type { Answers } from './answers.ts';

/** Warnings, each a sentence with its remedy. A proxy may have another port and another certificate. */
export function unfitAddress({ publicUrl, proxy, tls, tlsCert, listen }: Answers): readonly string[] {
  if (publicUrl === undefined || proxy !== 'none') return [];
  const url = new URL(publicUrl);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const own = /(\d+)$/.exec(listen)?.[1];
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return [
    ...(own === port
      ? []
      : [
          `Warning: Clients use ${publicUrl}, which is port ${port}, and the server listens on ${listen}. Write the port ` +
            'into "publicUrl", listen on that port, or let a firewall pass it on.',
        ]),
    ...(tls === 'own' && tlsCert !== undefined ? unfitNames(tlsCert, host) : []),
  ];
}

/** A file that is no certificate is a finding of doctor. */
function unfitNames(path: string, host: string): readonly string[] {
  const certificate = parsed(path);
  if (certificate === undefined) return [];
  const fits = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  if (fits !== undefined) return [];
  const names = certificateNames(certificate).join(', ');
  return [
    `Warning: The certificate ${path} is for ${names === '' ? 'no name' : names}, and clients use ${host}: they will ` +
      'refuse the connection. Get a certificate for this name, or correct "publicUrl".',
  ];
}

function parsed(path: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(path));
  } catch {
    return undefined; // missing, or no certificate
  }
}
