// A JSON text whose damage means that nothing is known.

/** undefined: no JSON. An error of the parser would quote the text, which may hold a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
