// Parses a .gitattributes file as git does (attr.c, parse_attr_line): one rule a line, and later lines override
// earlier ones. A line with any error is skipped completely.

import { compileAttributePattern, type AttributePattern } from './attribute-pattern.ts';
import { byteString } from './bytes.ts';
import { workOfRule, type CountWork } from './linear-matcher.ts';

/** true: set; false: `-name`; undefined: `!name`, back to unspecified; a text: `name=text`. */
export interface AttributeState {
  readonly name: string;
  readonly value: boolean | string | undefined;
}

export interface AttributeRule {
  readonly matches: AttributePattern;
  /** in the order of the line: the last state of a name counts */
  readonly states: readonly AttributeState[];
}

export interface AttributeRules {
  readonly rules: readonly AttributeRule[];
  /**
   * `[attr]name …`: the states that a macro sets in addition to its own. Git reads macros only from the root's file.
   */
  readonly macros: ReadonlyMap<string, readonly AttributeState[]>;
}

/** Longer lines are ignored (ATTR_MAX_LINE_LENGTH). */
const maxLineBytes = 2048;
const macroPrefix = '[attr]';

export function parseAttributeFile(text: string, count: CountWork): AttributeRules {
  const rules: AttributeRule[] = [];
  const macros = new Map<string, readonly AttributeState[]>();
  const [content = ''] = byteString(text).split('\0', 1);
  for (const line of content.split('\n')) {
    count(workOfRule);
    const parsed = splitLine(line);
    const states = parsed === undefined ? undefined : parseStates(parsed.states);
    if (parsed === undefined || states === undefined) continue;
    const { pattern } = parsed;
    if (pattern.startsWith(macroPrefix) && pattern.length > macroPrefix.length) {
      const [name = ''] = words(pattern.slice(macroPrefix.length));
      if (isAttributeName(name)) macros.set(name, states);
    } else {
      const matches = compileAttributePattern(pattern, count);
      if (matches !== undefined) rules.push({ matches, states });
    }
  }
  return { rules, macros };
}

function splitLine(line: string): { readonly pattern: string; readonly states: string } | undefined {
  const trimmed = line.replace(/^[ \t\r]+/, '');
  if (trimmed === '' || trimmed.startsWith('#') || line.length >= maxLineBytes) return undefined;
  const quoted = unquote(trimmed);
  if (quoted !== undefined) return { pattern: quoted.text, states: trimmed.slice(quoted.end) };
  const [pattern = ''] = words(trimmed);
  return { pattern, states: trimmed.slice(pattern.length) };
}

function words(text: string): readonly string[] {
  return text.split(/[ \t\r]+/).filter((word) => word !== '');
}

/** undefined if any of them is not an attribute. */
function parseStates(text: string): readonly AttributeState[] | undefined {
  const states = words(text).map(parseState);
  return states.every((state) => isAttributeName(state.name)) ? states : undefined;
}

function parseState(word: string): AttributeState {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word : word.slice(0, equals);
  if (name.startsWith('-')) return { name: name.slice(1), value: false };
  if (name.startsWith('!')) return { name: name.slice(1), value: undefined };
  return { name, value: equals === -1 ? true : word.slice(equals + 1) };
}

function isAttributeName(name: string): boolean {
  return /^[A-Za-z0-9_.][-A-Za-z0-9_.]*$/.test(name);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

/**
 * A pattern in C quotes at the start of a line (quote.c, unquote_c_style); undefined if the line has none, or a
 * malformed one.
 */
function unquote(line: string): { readonly text: string; readonly end: number } | undefined {
  const quoted = /^"((?:[^"\\]|\\[abfnrtv\\"]|\\[0-3][0-7]{2})*)"/.exec(line);
  if (quoted === null) return undefined;
  const text = (quoted[1] ?? '').replace(
    /\\(?:([0-3][0-7]{2})|(.))/g,
    (_, octal: string | undefined, letter: string | undefined) =>
      octal === undefined ? (simpleEscapes[letter ?? ''] ?? '') : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return { text: text.split('\0', 1)[0] ?? '', end: quoted[0].length };
}
