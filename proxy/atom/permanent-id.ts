// The permanent ids of feeds and entries, for feed readers: a reader knows by its id that it has shown an entry before.
// An id is the UUID (version 5, RFC 9562) of a name, so every server and every build gives the same. Pure.

import { createHash } from 'node:crypto';

/** The namespace of URLs of RFC 9562, appendix A. */
const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** `version`: normalized. The name is the package URL of the version. */
export function entryId(name: string, version: string): string {
  return uuidOf(`pkg:composer/${name}@${encodeURIComponent(version)}`);
}

/** `address`: of the feed, as far as it is known. */
export function feedId(address: string): string {
  return uuidOf(address);
}

function uuidOf(url: string): string {
  const bytes = createHash('sha1').update(urlNamespace).update(url).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join('-')}`;
}
