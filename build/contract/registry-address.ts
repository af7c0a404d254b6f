// The address of a registry, and the two settings by which it names itself in published files: the metadata template
// and the address of archives. Both are regular expressions for schemas. The parser of each setting adds the rules that a
// regular expression cannot express.

const printable = String.raw`[^\s\u0000-\u001f\u007f]`;

/** A path or an http(s) address that holds `%package%`, and no placeholder before the path. */
export const metadataUrlPattern = String.raw`^(?:/(?!/)|https?://[^/?#%\s\u0000-\u001f\u007f]+/)${printable}*%package%${printable}*$`;

/** `path`, or an http(s) address without user, query and fragment. */
export const distUrlPattern = String.raw`^(?:path|https?://[^\s@?#\u0000-\u001f\u007f]+)$`;

/** The path of an address, without a slash at its end: empty at the root of a host. */
export function pathBelowHost(address: string): string {
  return new URL(address).pathname.replace(/\/+$/, '');
}
