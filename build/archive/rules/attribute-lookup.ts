// Looks up the attributes that a package's .gitattributes files set for a path. The deepest file above the path
// decides first. Within a file the last matching line decides, and the first answer for an attribute counts (attr.c,
// fill). Only the given files count; the git configuration of this machine has no effect.

import { parseAttributeFile, type AttributeRule, type AttributeState } from './attribute-file.ts';
import type { PatternSubject } from './attribute-pattern.ts';
import { byteString } from './bytes.ts';
import { createWorkCount, workOfMatch, workOfRule, workOfStep, type CountWork } from './linear-matcher.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { parentPath } from '../../shared/text/parent-path.ts';

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
