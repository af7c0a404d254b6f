// Parses a URL. Node 20 and 22 answer `URL.canParse` wrongly after some thousand calls: false for a text with a letter
// such as ü. So nothing here asks it; a test refuses it.

/** The URL, relative to `base` if given. undefined: the text is no URL. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
