// Reads the certificate again while the server runs, after the file was renewed.

import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { CertificateError, describeCertificate, readCertificate, type LoadedCertificate } from './certificate.ts';

interface ReportTarget {
  readonly logger: Logger;
  /** prints a line for the operator */
  readonly report: (line: string) => void;
}

/**
 * A signal that goes to all processes of a server reaches a worker twice, from outside and by its primary: that is one
 * wish.
 */
const sameRequestMs = 2000;

/**
 * Call the returned function whenever the certificate files may have changed. `renew` receives the new one; an
 * unusable one changes nothing. Each outcome is reported once. `target` undefined: another process of this server reads
 * the same files and reports.
 */
export function createRenewal(
  config: Config,
  { now }: Pick<Context, 'now'>,
  target: ReportTarget | undefined,
  renew: (certificate: LoadedCertificate) => void,
): () => void {
  let last = { line: '', atMs: Number.NEGATIVE_INFINITY };
  const report = (line: string, log: (logger: Logger) => void): void => {
    const atMs = now().getTime();
    const isSaid = line === last.line && atMs - last.atMs < sameRequestMs;
    last = { line, atMs };
    if (target === undefined || isSaid) return;
    log(target.logger);
    target.report(line);
  };
  return () => {
    try {
      const read = readCertificate(config, now());
      if (read === undefined) return;
      renew(read);
      const described = describeCertificate(read.facts, now());
      report(`The certificate was reloaded: ${described}.`, (logger) =>
        logger.info({ certificate: 'renewed' }, described),
      );
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      report(`The server continues with the previous certificate. ${error.message}`, (logger) =>
        logger.warn({ certificate: 'kept' }, error.message),
      );
    }
  };
}
