// Reads the HTML of a page in a test: its elements, and the text that a person sees.

export interface OpenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Tags as the pages of the console write them: every value in double quotes. */
const tag = /<([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>|<\/[a-z][\w-]*>|<!doctype html>/gi;

/** The elements in their order. Throws an Error for a `<` that begins no tag: such text is not escaped. */
export function openElements(html: string): readonly OpenElement[] {
  const rest = html.replaceAll(tag, '');
  const stray = rest.indexOf('<');
  if (stray !== -1) throw new Error(`this is not escaped: ${rest.slice(stray, stray + 200)}`);
  return [...html.matchAll(tag)].flatMap(([, name, attributes = '']) =>
    name === undefined ? [] : [{ name: name.toLowerCase(), attributes: attributesIn(attributes) }],
  );
}

function attributesIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      unescaped(value),
    ]),
  );
}

/** The text between the tags, blanks joined, without head and pictures. */
export function textOf(html: string): string {
  return unescaped(
    html
      .replaceAll(/<(?:head|svg)[\s>].*?<\/(?:head|svg)>/gs, ' ')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

function unescaped(text: string): string {
  return text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
