// Reads the XML that object stores send: elements, texts and references to characters. It is strict: a document type,
// a processing instruction, CDATA, and everything that is not well-formed, is none.

export interface XmlElement {
  /** without the prefix of its namespace */
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

const token =
  /<!--(?:(?!--)[^])*-->|<\/(?<end>[\w:.-]+)\s*>|<(?<start>[\w:.-]+)(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(?<empty>\/?)>|(?<text>[^<]+)/y;
const mostNested = 32;

/** The root element; undefined for other text. */
export function xmlIn(source: string): XmlElement | undefined {
  const body = source.replace(/^\uFEFF?\s*<\?xml\s[^>]*\?>/, '');
  const root = { name: '', text: '', children: [] as XmlElement[] };
  const open = [root];
  for (token.lastIndex = 0; token.lastIndex < body.length;) {
    const found = token.exec(body);
    const top = open.at(-1);
    if (found === null || top === undefined || open.length > mostNested) return undefined;
    const { text, start, end = found.groups?.['empty'] && start } = found.groups ?? {};
    const characters = resolved(text ?? '');
    if (characters === undefined) return undefined;
    top.text += characters;
    if (start !== undefined) open.push({ name: start, text: '', children: [] });
    if (end === undefined || end === '') continue;
    const closed = open.pop();
    if (closed?.name !== end) return undefined;
    open.at(-1)?.children.push({ ...closed, name: end.replace(/^.*:/, '') });
  }
  const [only, ...others] = root.children;
  return open.length === 1 && others.length === 0 && root.text.trim() === '' ? only : undefined;
}

/** The text of the element that these names lead to; undefined: there is none. */
export function textAt(element: XmlElement | undefined, ...names: readonly string[]): string | undefined {
  let found = element;
  for (const name of names) found = found?.children.find((child) => child.name === name);
  return found?.text;
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** undefined: a reference is unknown */
function resolved(text: string): string | undefined {
  let isKnown = true;
  const characters = text.replace(/&([^;&]*);?/g, (whole, reference: string) => {
    const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(reference) ?? [];
    const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : named[reference];
    isKnown &&= character !== undefined && whole.endsWith(';');
    return character ?? '';
  });
  return isKnown ? characters : undefined;
}
