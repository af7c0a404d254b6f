// Recognizes a server that speaks plain HTTP where the address says https. OpenSSL's own message names neither.

export const plainHttpAdvice = 'Use http:// in the address, or turn on TLS at the server.';

/** The message for people; undefined for another error. */
export function plainHttpFault(url: string, error: Error): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const isPlain = protocol === 'https:' && 'code' in error && error.code === 'ERR_SSL_WRONG_VERSION_NUMBER';
  return isPlain ? `The server at ${hostname}:${port === '' ? '443' : port} speaks plain HTTP.` : undefined;
}
