// Decodes the percent-escapes of a dist label as Composer and curl write them. Non-ASCII bytes arrive as lower-case
// escapes, all others raw. A `%` that starts no escape stays (`dev-100%.zip`). Never throws. The result is looked up
// in an index, and never joined into a path.

const beyondAscii = /%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;
const anyCharacter = new RegExp(`%[0-7][0-9a-f]|${beyondAscii.source}`, 'gi');

/** The text with every escaped UTF-8 character decoded once, and all else unchanged. `+` stays a plus. */
export function decodeOnce(text: string): string {
  return text.includes('%') ? text.replace(anyCharacter, decodeCharacter) : text;
}

/** As `decodeOnce`, but decodes only characters beyond ASCII, which curl itself has encoded. */
export function decodeBeyondAscii(text: string): string {
  return text.includes('%') ? text.replace(beyondAscii, decodeCharacter) : text;
}

function decodeCharacter(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped; // overlong or a surrogate, so not UTF-8: literal, as the client meant it
  }
}
