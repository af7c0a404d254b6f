// The checksum that a client announces for the body of an upload.

import { RegistryError } from '../../build/contract/errors.ts';

/**
 * The digest in Content-Digest (RFC 9530 §2), as hex; other algorithms are ignored. A form's digest would cover the
 * whole form. Throws BAD_REQUEST for a header that cannot be read.
 */
export function announcedDigest(headers: NodeJS.Dict<string | string[]>): string | undefined {
  const { 'content-digest': header, 'content-type': type } = headers;
  if (header === undefined || String(type).toLowerCase().startsWith('multipart/')) return undefined;
  const members = String(header)
    .split(',')
    .map((member) => /^\s*([\w.*-]+)=:([A-Za-z0-9+/]+={0,2}):\s*$/.exec(member));
  const base64 = members.findLast((member) => member?.[1]?.toLowerCase() === 'sha-256')?.[2];
  const digest = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  if (members.includes(null) || (digest !== undefined && digest.length !== 32))
    throw new RegistryError('BAD_REQUEST', {
      message: 'The header Content-Digest is not in the form sha-256=:BASE64: (RFC 9530). Correct it, or leave it out.',
    });
  return digest?.toString('hex');
}
