// The two settings by which a registry names itself in published files: the metadata template and the address of
// archives. Both are regular expressions for schemas. The parser of each setting adds the rules that a regular
// expression cannot express.

const printable = String.raw`[^\s\u0000-\u001f\u007f]`;

/** A path or an http(s) address that holds `%package%`, and no placeholder before the path. */
export const metadataUrlPattern = String.raw`^(?:/(?!/)|https?://[^/?#%\s\u0000-\u001f\u007f]+/)${printable}*%package%${printable}*$`;

/** `path`, or an http(s) address without user, query and fragment. */
export const distUrlPattern = String.raw`^(?:path|https?://[^\s@?#\u0000-\u001f\u007f]+)$`;
