// Answers a client that speaks plain HTTP to a port with TLS: a mistyped http:// would otherwise end in a closed
// connection without a reason. OpenSSL has consumed the request by then, and its Host header too, so the answer names
// the address that the client reached, or a name of the certificate.

import { X509Certificate } from 'node:crypto';
import { isIPv6, type Socket } from 'node:net';
import { writeRefusal } from '../parser-errors.ts';
import { certificateNames } from './certificate-names.ts';

/** OpenSSL knows GET, HEAD, POST and PUT; a request with another method looks like a record of no TLS version. */
const plainHttp: ReadonlySet<string | undefined> = new Set([
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_HTTPS_PROXY_REQUEST',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

/** True for the fault of a TLS handshake that a plain HTTP request causes. */
export function isPlainHttp({ code }: NodeJS.ErrnoException): boolean {
  return plainHttp.has(code);
}

/**
 * Answers 400 and closes. `socket`: the bare socket, below TLS. `pem`: the certificate of the server. Returns the
 * status.
 */
export function refusePlainHttp(socket: Socket, pem: string): number {
  const address = addressOf(pem, socket);
  return writeRefusal(
    'BAD_REQUEST',
    socket,
    'This port serves HTTPS, and the request came over plain HTTP. Write https:// in place of http:// in the ' +
      `address${address === undefined ? '' : `: ${address}`}`,
  );
}

/** A certificate is valid for the address that the client reached only if it has this address. */
function addressOf(pem: string, { localAddress, localPort: port }: Socket): string | undefined {
  const names = certificateNames(new X509Certificate(pem));
  const reached = localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
  const name = names.find((candidate) => candidate === reached) ?? names.find((candidate) => !candidate.includes('*'));
  return name === undefined || port === undefined ? undefined : `https://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}
