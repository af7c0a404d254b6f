// Looks up the attributes that a package's .gitattributes files set for a path. The deepest file above the path
// decides first. Within a file the last matching line decides, and the first answer for an attribute counts (attr.c,
// fill). Only the given files count; the git configuration of this machine has no effect.

import { type PatternSubject, compileAttributePattern, type AttributePattern } from './attribute-pattern.ts';
import { byteString } from './bytes.ts';
import { createWorkCount, workOfMatch, workOfRule, workOfStep, type CountWork } from './linear-matcher.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { parentPath } from '../../shared/text/parent-path.ts';

// Parses a .gitattributes file as git does (attr.c, parse_attr_line): one rule a line, and later lines override
// earlier ones. A line with any error is skipped completely.

/** true: set; false: `-name`; undefined: `!name`, back to unspecified; a text: `name=text`. */
interface AttributeState {
  readonly name: string;
  readonly value: boolean | string | undefined;
}

interface AttributeRule {
  readonly matches: AttributePattern;
  /** in the order of the line: the last state of a name counts */
  readonly states: readonly AttributeState[];
}

interface AttributeRules {
  readonly rules: readonly AttributeRule[];
  /**
   * `[attr]name …`: the states that a macro sets in addition to its own. Git reads macros only from the root's file.
   */
  readonly macros: ReadonlyMap<string, readonly AttributeState[]>;
}

/** Longer lines are ignored (ATTR_MAX_LINE_LENGTH). */
const maxLineBytes = 2048;
const macroPrefix = '[attr]';

function parseAttributeFile(text: string, count: CountWork): AttributeRules {
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

/** Of all .gitattributes files of one version together: far above any real package, and parsed in a moment. */
export const maxAttributesBytes = 1024 * 1024;

export function tooManyAttributes(path: string): QuarantineError {
  const fault = `The .gitattributes files of this version, up to ${path}, are larger than 1 MiB together`;
  return new QuarantineError('UNREADABLE_FILE', `${fault}. Use fewer rules.`);
}

export interface AttributeFile {
  /** '' is the root, else like `a/b` */
  readonly directory: string;
  readonly text: string;
}

export type AttributeValue = AttributeState['value'];

/**
 * The values of the requested attributes; an attribute without a rule is absent. `path` is a byte string, without a
 * slash at its end.
 */
export type AttributeLookup = (path: string, folder: boolean) => ReadonlyMap<string, AttributeValue>;

type Values = Map<string, AttributeValue>;
type Macros = ReadonlyMap<string, readonly AttributeState[]>;

/** The rules of one folder that may decide, and how many bytes its path takes. */
interface Frame {
  readonly baseLength: number;
  /** the last first */
  readonly rules: readonly AttributeRule[];
}

/** The macros that git defines itself; a root file may redefine them (attr.c, builtin_attr). */
const builtInMacros: Macros = new Map([['binary', ['diff', 'merge', 'text'].map((name) => ({ name, value: false }))]]);

/** undefined if no rule names these attributes. `count` may throw. */
export function compileAttributes(
  files: readonly AttributeFile[],
  wanted: readonly string[],
  count = createWorkCount(),
): AttributeLookup | undefined {
  const parsed = files.map((file) => ({ folder: byteString(file.directory), ...parseAttributeFile(file.text, count) }));
  const macros: Macros = new Map([...builtInMacros, ...(parsed.find(({ folder }) => folder === '')?.macros ?? [])]);
  const states = [...macros.values()].reduce((sum, { length }) => sum + length, 0);
  count(macros.size * (workOfRule * macros.size + workOfStep * states)); // each look at all may find one more
  const relevant = attributesThatMatter(wanted, macros);
  const rulesOf = new Map(
    parsed.map(({ folder, rules }) => [
      folder,
      rules.filter(({ states }) => states.some(({ name }) => relevant.has(name))).toReversed(),
    ]),
  );
  if ([...rulesOf.values()].every((rules) => rules.length === 0)) return undefined;
  const framesOf = rememberPerFolder((folder): readonly Frame[] => {
    const [rules = [], above] = [rulesOf.get(folder), folder === '' ? [] : framesOf(parentPath(folder))];
    return rules.length === 0 ? above : [{ baseLength: folder === '' ? 0 : folder.length + 1, rules }, ...above];
  });
  return (path, folder) => {
    const values: Values = new Map();
    const name = path.slice(path.lastIndexOf('/') + 1);
    for (const { baseLength, rules } of framesOf(parentPath(path))) {
      count(workOfMatch * rules.length);
      const candidate: PatternSubject = { relative: path.slice(baseLength), name, folder };
      for (const { matches, states } of rules) {
        if (!matches(candidate)) continue;
        fill(values, states, macros, count);
        if (wanted.every((attribute) => values.has(attribute))) return values;
      }
    }
    return values;
  };
}

export function rememberPerFolder<Value>(compute: (folder: string) => Value): (folder: string) => Value {
  const known = new Map<string, Value>();
  return (folder) => {
    const found = known.get(folder);
    if (found !== undefined || known.has(folder)) return found as Value;
    const value = compute(folder);
    known.set(folder, value);
    return value;
  };
}

/** The wanted ones, and the macros that set them, directly or through others. */
function attributesThatMatter(wanted: readonly string[], macros: Macros): ReadonlySet<string> {
  const names = new Set(wanted);
  for (let before = 0; before !== names.size;) {
    before = names.size;
    for (const [macro, states] of macros) if (states.some(({ name }) => names.has(name))) names.add(macro);
  }
  return names;
}

/** Adds the states that are not known yet. A macro that is set adds its own states immediately. */
function fill(known: Values, states: readonly AttributeState[], macros: Macros, count: CountWork): void {
  count(workOfStep * states.length);
  for (const { name, value } of states.toReversed()) {
    if (known.has(name)) continue;
    known.set(name, value);
    const macro = value === true ? macros.get(name) : undefined;
    if (macro !== undefined) fill(known, macro, macros, count);
  }
}
