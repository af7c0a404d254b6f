// The certificate of the server: whether clients will take it, and for how long.

import { stat } from 'node:fs/promises';

import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import { runningServer } from '../state/running-server.ts';
import {
  CertificateError,
  daysLeft,
  describeCertificate,
  readCertificate,
  type LoadedCertificate,
} from '../tls/certificate.ts';
import { UsageError } from '../io/usage-error.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';

/** Authorities that renew by themselves do so a month before; two weeks later something is wrong. */
const warnDays = 14;

/** Returns no finding for a server of plain HTTP. */
export async function checkCertificate(
  config: Pick<Config, 'tlsCert' | 'tlsKey' | 'publicUrl' | 'distUrl' | 'data' | 'state'>,
  now: Date,
  hasFolder: boolean,
): Promise<readonly Finding[]> {
  const read = readOrReport(config, now);
  if (read === undefined) return hasFolder && publicUrlOf(config) === undefined ? checkFlags(config, now) : [];
  return ['verdict' in read ? read : await describeFacts(read, config, now)];
}

/** A running server may have a certificate by its flags, which this command does not know. */
async function checkFlags(config: Pick<Config, 'data' | 'state'>, now: Date): Promise<readonly Finding[]> {
  const address = (await runningServer(config, now))?.address;
  if (address?.startsWith('https:') !== true) return [];
  const message =
    `The running server has https by its flags (${address}), and no configuration names its certificate. ` +
    `Check it with \`libretto doctor --url ${address}\`.`;
  return [skipped('certificate', message)];
}

function readOrReport(config: Pick<Config, 'tlsCert' | 'tlsKey'>, now: Date): LoadedCertificate | Finding | undefined {
  try {
    return readCertificate(config, now);
  } catch (error) {
    if (!(error instanceof CertificateError || error instanceof UsageError)) throw error;
    return failed(
      'certificate',
      error.message,
      'Put a certificate and its key there, or serve plain HTTP behind a web server: docs/how-to/reverse-proxy.md.',
    );
  }
}

async function describeFacts(
  { facts }: LoadedCertificate,
  config: Pick<Config, 'tlsKey'>,
  now: Date,
): Promise<Finding> {
  const described = describeCertificate(facts, now);
  if (facts.names.length === 0)
    return failed(
      'certificate',
      `The certificate is ${described}: clients check only the alternative names.`,
      'Create a certificate with the name of the registry as subjectAltName.',
    );
  if (daysLeft(facts.validTo, now) < warnDays)
    return warning(
      'certificate',
      `The certificate is for ${described}.`,
      'Renew it; SIGHUP lets a running server read it.',
    );
  if (config.tlsKey.value !== undefined && ((await stat(config.tlsKey.value)).mode & 0o004) !== 0)
    return warning(
      'certificate',
      `Everybody on this machine can read the private key ${config.tlsKey.value}.`,
      `chmod o= ${config.tlsKey.value}`,
    );
  return ok('certificate', `The certificate is for ${described}`);
}
