// Looks up the attributes that a package's .gitattributes files set for a path. The deepest file above the path
// decides first. Within a file the last matching line decides, and the first answer for an attribute counts (attr.c,
// fill). Only the given files count; the git configuration of this machine has no effect.

import { parseAttributeFile, type AttributeRule, type AttributeState } from './attribute-file.ts';
import type { Candidate } from './attribute-pattern.ts';
import { byteString } from './bytes.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { parentPath } from '../../shared/text/parent-path.ts';

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

type Macros = ReadonlyMap<string, readonly AttributeState[]>;

/** The rules of one folder that may decide, and how many bytes its path takes. */
interface Frame {
  readonly baseLength: number;
  readonly rules: readonly AttributeRule[];
}

/** The macros that git defines itself; a root file may redefine them (attr.c, builtin_attr). */
const builtInMacros: Macros = new Map([['binary', ['diff', 'merge', 'text'].map((name) => ({ name, value: false }))]]);

/** Every rule is matched with every path of the package, so the limit bounds the time of a build. */
const mostRules = 5000;
const mostMacros = 250;

/** undefined if no rule names these attributes. Throws QuarantineError for more rules than any real package has. */
export function compileAttributes(
  files: readonly AttributeFile[],
  wanted: readonly string[],
): AttributeLookup | undefined {
  const parsed = files.map((file) => ({ folder: byteString(file.directory), ...parseAttributeFile(file.text) }));
  const macros: Macros = new Map([...builtInMacros, ...(parsed.find(({ folder }) => folder === '')?.macros ?? [])]);
  const ruleCount = parsed.reduce((sum, { rules }) => sum + rules.length, 0);
  if (macros.size > mostMacros || ruleCount > mostRules)
    throw new QuarantineError(
      'UNREADABLE_FILE',
      `The .gitattributes files have more than ${mostRules} rules or ${mostMacros} macros. Name folders, not files.`,
    );
  const relevant = attributesThatMatter(wanted, macros);
  const rulesOf = new Map(
    parsed.map(({ folder, rules }) => [
      folder,
      rules.filter(({ states }) => states.some(({ name }) => relevant.has(name))),
    ]),
  );
  if ([...rulesOf.values()].every((rules) => rules.length === 0)) return undefined;
  const framesOf = rememberPerFolder((folder): readonly Frame[] => [
    { baseLength: folder === '' ? 0 : folder.length + 1, rules: rulesOf.get(folder) ?? [] },
    ...(folder === '' ? [] : framesOf(parentPath(folder))),
  ]);
  return (path, folder) => valuesOf(path, folder, { frames: framesOf(parentPath(path)), macros, wanted });
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

interface Rules {
  readonly frames: readonly Frame[];
  readonly macros: Macros;
  readonly wanted: readonly string[];
}

function valuesOf(
  path: string,
  folder: boolean,
  { frames, macros, wanted }: Rules,
): ReadonlyMap<string, AttributeValue> {
  const known = new Map<string, AttributeValue>();
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const { baseLength, rules } of frames) {
    if (rules.length === 0) continue;
    const candidate: Candidate = { relative: path.slice(baseLength), name, folder };
    for (let index = rules.length - 1; index >= 0; index -= 1) {
      const rule = rules[index];
      if (rule?.matches(candidate) !== true) continue;
      fill(known, rule.states, macros);
      if (wanted.every((attribute) => known.has(attribute))) return known;
    }
  }
  return known;
}

/** Adds the states that are not known yet. A macro that is set adds its own states immediately. */
function fill(known: Map<string, AttributeValue>, states: readonly AttributeState[], macros: Macros): void {
  for (const { name, value } of states.toReversed()) {
    if (known.has(name)) continue;
    known.set(name, value);
    const macro = value === true ? macros.get(name) : undefined;
    if (macro !== undefined) fill(known, macro, macros);
  }
}
