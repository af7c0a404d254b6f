// Which paths `git archive` leaves out: those whose attribute export-ignore is set, and everything below a folder where it is (archive.c).
// Of all .gitattributes files above a path the deepest is asked first, and in each the last line; the first answer counts (attr.c, fill).

import { parseAttributeFile, type AttributeRule, type AttributeState } from './attribute-file.ts';
import type { Candidate } from './attribute-pattern.ts';
import { byteString } from './bytes.ts';

export interface AttributeFile {
  /** '' is the root, else like `a/b` */
  readonly directory: string;
  readonly text: string;
}

const attribute = 'export-ignore';

type Macros = ReadonlyMap<string, readonly AttributeState[]>;

/** The rules of one folder that may decide, and how many bytes its path takes. */
interface Frame {
  readonly baseLength: number;
  readonly rules: readonly AttributeRule[];
}

/** Asked for a file's path, not a folder's. Only what stands in the files given counts, nothing of this machine's git configuration. */
export function compileExportIgnore(files: readonly AttributeFile[]): (path: string) => boolean {
  const parsed = files.map((file) => ({ folder: byteString(file.directory), ...parseAttributeFile(file.text, { root: file.directory === '' }) }));
  const macros = parsed.find(({ folder }) => folder === '')?.macros ?? new Map<string, readonly AttributeState[]>();
  const relevant = attributesThatMatter(macros);
  const rulesOf = new Map(parsed.map(({ folder, rules }) => [folder, rules.filter(({ states }) => states.some(({ name }) => relevant.has(name)))]));
  if ([...rulesOf.values()].every((rules) => rules.length === 0)) return () => false;
  const framesOf = remember((folder): readonly Frame[] => [
    { baseLength: folder === '' ? 0 : folder.length + 1, rules: rulesOf.get(folder) ?? [] },
    ...(folder === '' ? [] : framesOf(parentOf(folder))),
  ]);
  const isSet = (path: string, folder: boolean): boolean => valueOf(path, folder, framesOf(parentOf(path)), macros) === true;
  const folderIgnored = remember((folder): boolean => folder !== '' && (folderIgnored(parentOf(folder)) || isSet(folder, true)));
  return (path) => {
    const bytes = byteString(path);
    return folderIgnored(parentOf(bytes)) || isSet(bytes, false);
  };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function remember<Value>(compute: (folder: string) => Value): (folder: string) => Value {
  const known = new Map<string, Value>();
  return (folder) => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const value = compute(folder);
    known.set(folder, value);
    return value;
  };
}

/** export-ignore, and the macros that set it, directly or through others. */
function attributesThatMatter(macros: Macros): ReadonlySet<string> {
  const names = new Set([attribute]);
  for (let before = 0; before !== names.size; ) {
    before = names.size;
    for (const [macro, states] of macros) if (states.some(({ name }) => names.has(name))) names.add(macro);
  }
  return names;
}

function valueOf(path: string, folder: boolean, frames: readonly Frame[], macros: Macros): AttributeState['value'] {
  const known = new Map<string, AttributeState['value']>();
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const { baseLength, rules } of frames) {
    if (rules.length === 0) continue;
    const candidate: Candidate = { relative: path.slice(baseLength), name, folder };
    for (let index = rules.length - 1; index >= 0; index -= 1) {
      const rule = rules[index];
      if (rule?.matches(candidate) === true) fill(known, rule.states, macros);
      if (known.has(attribute)) return known.get(attribute);
    }
  }
  return undefined;
}

/** Takes over what is not known yet. A macro that is set brings its own states along at once. */
function fill(known: Map<string, AttributeState['value']>, states: readonly AttributeState[], macros: Macros): void {
  for (const { name, value } of states.toReversed()) {
    if (known.has(name)) continue;
    known.set(name, value);
    const macro = value === true ? macros.get(name) : undefined;
    if (macro !== undefined) fill(known, macro, macros);
  }
}
