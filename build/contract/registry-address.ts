// How a registry names itself in what it publishes: the template of its metadata and where its archives are. As regular
// expressions, for schemas; what they cannot say, the parsers of each place add.

const printable = String.raw`[^\s\u0000-\u001f\u007f]`;

/** A path or an http(s) address that holds `%package%`, and no placeholder before the path. */
export const metadataUrlPattern = String.raw`^(?:/(?!/)|https?://[^/?#%\s\u0000-\u001f\u007f]+/)${printable}*%package%${printable}*$`;

/** `path`, or an http(s) address without user, query and fragment. */
export const distUrlPattern = String.raw`^(?:path|https?://[^\s@?#\u0000-\u001f\u007f]+)$`;
