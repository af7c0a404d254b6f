// Reads and checks the server's certificate as closely as a client would. A fault is reported at the start, and not by
// the first failing install.

import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

import { certificateNames } from '../../proxy/core/http/http2/certificate-names.ts';
import type { Certificate } from '../../proxy/core/http/http2/secure-server.ts';
import { formatOrigin, type Config } from '../config/config.ts';
import { adviceOnReadFault } from '../io/file-owner.ts';
import { describeReadFault } from '../io/read-fault.ts';
import { UsageError } from '../io/usage-error.ts';

/** The certificate cannot be used. The message names the file, the fault and the remedy. */
export class CertificateError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'CertificateError';
  }
}

export interface CertificateFacts {
  /** host names and addresses it is for, as it has them */
  readonly names: readonly string[];
  readonly validTo: Date;
}

export interface LoadedCertificate {
  readonly pair: Certificate;
  readonly facts: CertificateFacts;
}

/** undefined: plain HTTP is served. Throws CertificateError, or UsageError if one of the two settings is missing. */
export function readCertificate(
  { tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>,
  now: Date,
): LoadedCertificate | undefined {
  if (tlsCert.value === undefined && tlsKey.value === undefined) return undefined;
  if (tlsCert.value === undefined)
    throw new UsageError(
      `There is a private key (${formatOrigin(tlsKey.origin)}) without its certificate. Name it with --tls-cert.`,
    );
  if (tlsKey.value === undefined)
    throw new UsageError(
      `There is a certificate (${formatOrigin(tlsCert.origin)}) without its private key. Name it with --tls-key.`,
    );
  const certName = `The certificate ${tlsCert.value} (${formatOrigin(tlsCert.origin)})`;
  const keyName = `The private key ${tlsKey.value} (${formatOrigin(tlsKey.origin)})`;
  const [cert, key] = [readPem(tlsCert.value, certName), readPem(tlsKey.value, keyName)];
  const parsed = parseCertificate(cert, certName);
  if (!parsed.checkPrivateKey(parseKey(key, keyName)))
    throw new CertificateError(
      `${keyName} does not belong to ${tlsCert.value}. In a file with several certificates, the certificate of ` +
        `the server must come first.`,
    );
  checkTime(parsed, certName, now);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new CertificateError(`${certName} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
  return { pair: { cert, key }, facts: { names: certificateNames(parsed), validTo: new Date(parsed.validTo) } };
}

function readPem(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CertificateError(
      `${name} cannot be read: ${describeReadFault(error)}.${adviceOnReadFault(path, error)}`,
      { cause: error },
    );
  }
}

function parseCertificate(pem: string, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new CertificateError(`${name} is not a PEM certificate: it must begin with -----BEGIN CERTIFICATE-----.`, {
      cause: error,
    });
  }
}

function parseKey(pem: string, name: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const locked = /ENCRYPTED/.test(pem);
    throw new CertificateError(
      locked
        ? `${name} has a passphrase, which the server cannot type. Remove it with \`openssl pkey\`.`
        : `${name} is not a PEM private key.`,
      { cause: error },
    );
  }
}

function checkTime({ validFrom, validTo }: X509Certificate, name: string, now: Date): void {
  if (now.getTime() > Date.parse(validTo))
    throw new CertificateError(
      `${name} expired on ${new Date(validTo).toISOString()}: no client accepts it. Renew it.`,
    );
  if (now.getTime() < Date.parse(validFrom))
    throw new CertificateError(
      `${name} is not valid before ${new Date(validFrom).toISOString()}: no client accepts it yet. Is the ` +
        'clock of this machine right?',
    );
}

/** `localhost, 127.0.0.1, valid until 2026-12-21 (30 days)` */
export function describeCertificate({ names, validTo }: CertificateFacts, now: Date): string {
  const shown = names.length > 3 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return (
    `${shown.length === 0 ? 'for no name' : shown.join(', ')}, valid until ${validTo.toISOString().slice(0, 10)} ` +
    `(${daysLeft(validTo, now)} days)`
  );
}

export function daysLeft(validTo: Date, now: Date): number {
  return Math.floor((validTo.getTime() - now.getTime()) / 86_400_000);
}
