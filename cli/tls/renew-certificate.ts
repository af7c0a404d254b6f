// Reads the certificate anew while the server runs, after whoever renews it has put another in its place.

import type { Logger } from 'pino';
import type { Certificate } from '../../proxy/secure/secure-server.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { CertificateError, describeCertificate, readCertificate } from './certificate.ts';

interface Told {
  readonly logger: Logger;
  /** a line for whoever looks after the server */
  readonly tell: (line: string) => void;
}

/** `renew` gets the certificate that is in its place now; one that cannot be served with changes nothing. Either is told. */
export function renewCertificate(config: Config, { now }: Pick<Context, 'now'>, { logger, tell }: Told, renew: (certificate: Certificate) => void): void {
  try {
    const read = readCertificate(config, now());
    if (read === undefined) return;
    renew(read.pair);
    const described = describeCertificate(read.facts, now());
    logger.info({ certificate: 'renewed' }, described);
    tell(`The certificate was read anew: ${described}.`);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    logger.warn({ certificate: 'kept' }, error.message);
    tell(`The certificate from before is served on. ${error.message}`);
  }
}
