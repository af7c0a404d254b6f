// The settings that name the server's certificate and private key.

import { parseDirectory, pathFault } from './setting-values.ts';
import type { Setting } from './setting.ts';
import { plainText } from './text-schemas.ts';

const file = (key: string, flag: string, variable: string, purpose: string): Setting<string | undefined> => ({
  key,
  flag,
  variable,
  purpose,
  allowed: 'a file in PEM',
  parse: parseDirectory,
  reason: pathFault,
  standard: () => undefined,
  schema: { type: 'string', pattern: plainText },
});

export const tlsSettings = {
  tlsCert: file(
    'tlsCert',
    '--tls-cert <file>',
    'LIBRETTO_TLS_CERT',
    'serve HTTPS (HTTP/2 and HTTP/1.1) with this certificate and its intermediate certificates',
  ),
  tlsKey: file(
    'tlsKey',
    '--tls-key <file>',
    'LIBRETTO_TLS_KEY',
    'the private key of the certificate, without a passphrase',
  ),
};
