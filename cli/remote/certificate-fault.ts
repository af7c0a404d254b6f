// Recognizes a server whose certificate this machine does not trust, or whose certificate does not fit the address.

/** Node's codes of an unknown authority; https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const unknownAuthority: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const others: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Renew the certificate of the server.',
  CERT_NOT_YET_VALID: 'Check the clock of this machine and the certificate of the server.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use a name that the certificate has, or give the server a certificate of this name.',
};

const trust =
  'For an authority of your own, name its certificate: NODE_EXTRA_CA_CERTS=/path/to/authority.pem before the command.';

/** What to do; undefined for another error. */
export function certificateAdvice(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return unknownAuthority.has(code) ? trust : Object.hasOwn(others, code) ? others[code] : undefined;
}
