// Certificates for tests: an authority and its certificates, made by openssl.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolPath } from './tool.ts';

export interface MadeCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** PEM file of the authority's own certificate, which clients must trust */
  readonly file: string;
  readonly pem: string;
  /** Signs a certificate for 127.0.0.1 and a host name, by default localhost. A negative number of `days` gives an expired one. */
  readonly issue: (name: string, days?: number, hostName?: string) => MadeCertificate;
}

/** Makes its files below `folder`. */
export function createAuthority(folder: string): Authority {
  const openssl = (args: readonly string[]): void =>
    void execFileSync(toolPath('openssl'), args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const file = join(folder, 'authority.pem');
  openssl(['req', '-x509', ...newKey('authority.key'), '-out', file, '-days', '30', '-subj', '/CN=Test authority']);
  const issue: Authority['issue'] = (name, days = 30, hostName = 'localhost') => {
    const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    openssl(['req', ...newKey(keyFile), '-out', `${name}.csr`, '-subj', `/CN=${name}`, ...namesOf(hostName)]);
    openssl(['x509', '-req', '-in', `${name}.csr`, ...signedBy(file), '-days', String(days), '-out', certFile]);
    return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  };
  return { file, pem: readFileSync(file, 'utf8'), issue };
}

const newKey = (file: string): readonly string[] => [
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-nodes',
  '-keyout',
  file,
];
const namesOf = (hostName: string): readonly string[] => ['-addext', `subjectAltName=DNS:${hostName},IP:127.0.0.1`];
const signedBy = (authority: string): readonly string[] => [
  '-CA',
  authority,
  '-CAkey',
  'authority.key',
  '-CAcreateserial',
  '-copy_extensions',
  'copy',
];
