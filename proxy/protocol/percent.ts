// One tolerant percent-decoding of a dist label, as Composer and curl write them: non-ASCII bytes come as lower-case escapes, everything else
// comes raw, a `%` that starts no escape included (`dev-100%.zip`). Never throws. What comes out is looked up in an index, never joined into a path.

const escapes = /(?:%[0-9a-fA-F]{2})+/g;

/**
 * The text with every run of escapes that is valid UTF-8 decoded once, the rest as it stands. `+` stays a plus.
 * Undefined where a decoded character is a control character: no label holds one.
 */
export function decodeOnce(text: string): string | undefined {
  if (!text.includes('%')) return text;
  const decoded = text.replace(escapes, decodeRun);
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  return /[\u0000-\u001f\u007f]/.test(decoded) ? undefined : decoded;
}

const escapesBeyondAscii = /(?:%[89a-fA-F][0-9a-fA-F])+/g;

/** As `decodeOnce`, but only what curl itself has encoded: bytes beyond ASCII. */
export function decodeBeyondAscii(text: string): string {
  return text.includes('%') ? text.replace(escapesBeyondAscii, decodeRun) : text;
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run; // not UTF-8: literal, as the client meant it
  }
}
