// The address of a registry, and the two settings by which it names itself in published files: the metadata template
// and the address of archives. Both are regular expressions for schemas. The parser of each setting adds the rules that
// a regular expression cannot express.

const printable = String.raw`[^\s\u0000-\u001f\u007f]`;

/** A path or an http(s) address that holds `%package%`, and no placeholder before the path. */
export const metadataUrlPattern = String.raw`^(?:/(?!/)|https?://[^/?#%\s\u0000-\u001f\u007f]+/)${printable}*%package%${printable}*$`;

const part = String.raw`[^\s/\\@?#\u0000-\u001f\u007f]+`;

/** Clients would resolve an address with `//` or `..` in its path to another place. Slashes at the end do no harm. */
const webAddress = String.raw`https?://${part}(?:/(?!(?:\.|%2[eE]){1,2}(?:/|$))${part})*/*`;

export const webAddressPattern = `^${webAddress}$`;

export const webAddressAllowed = 'http(s) address without user, query and fragment, and without // and .. in its path';

/** `path`, or an address. */
export const distUrlPattern = `^(?:path|${webAddress})$`;

/** The address before archives, without a slash at its end; undefined: documents have paths. */
export function archiveBase(distUrl: string): string | undefined {
  return distUrl === 'path' ? undefined : distUrl.replace(/\/+$/, '');
}

/** The path of an address, without a slash at its end: empty at the root of a host. */
export function pathBelowHost(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '');
}
