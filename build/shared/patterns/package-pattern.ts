// The wildcard of package patterns, as Composer has it (BasePackage.php, packageNameToRegexp): `*` matches any
// characters, including a slash, or none. Every other character matches itself. Case does not matter. The matcher uses
// no regular expression: users and upstreams write patterns, and many stars would make one hang.

/** The form that command line and libretto.json accept: a whole name, or any text with a `*` in it. */
export const namePatternGrammar = '^(?=.*[/*])[A-Za-z0-9*][A-Za-z0-9_.*-]*(?:/[A-Za-z0-9*][A-Za-z0-9_.*-]*)?$';

const grammar = new RegExp(namePatternGrammar);

/** A folder inside a repository, whose segments may have wildcards: `packages/*`, or `.` for the root. */
export const folderGrammar = String.raw`^(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\u0000-\u001f\u007f]*[^\\/\s\u0000-\u001f\u007f]/?$`;

/** Two parts of a name, and the slash between them. */
const longestPattern = 201;

export function isNamePattern(text: string): boolean {
  return text.length <= longestPattern && grammar.test(text);
}

/** Both in lower case. The time is at most quadratic in the name's length, and the function allocates nothing. */
export function matchesPattern(pattern: string, name: string): boolean {
  let at = 0;
  let inName = 0;
  let star = -1;
  let resume = 0;
  while (inName < name.length) {
    if (pattern[at] === '*') {
      star = at;
      resume = inName;
      at += 1;
    } else if (pattern[at] === name[inName]) {
      at += 1;
      inName += 1;
    } else if (star >= 0) {
      // the last star takes one character more
      resume += 1;
      inName = resume;
      at = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** A test of names, in any case, against one pattern. */
export function matchName(pattern: string): (name: string) => boolean {
  const lower = pattern.toLowerCase();
  return (name) => matchesPattern(lower, name.toLowerCase());
}

/** True for a name, in any case, that at least one of the patterns matches. */
export function matchAnyName(patterns: readonly string[]): (name: string) => boolean {
  const lower = patterns.map((pattern) => pattern.toLowerCase());
  const exact = new Set(lower.filter((pattern) => !pattern.includes('*')));
  const wildcards = lower.filter((pattern) => pattern.includes('*'));
  return (given) => {
    const name = given.toLowerCase();
    return exact.has(name) || wildcards.some((pattern) => matchesPattern(pattern, name));
  };
}

/** True if the pattern matches every package of the vendors it names, as `acme/*` and `*` do. */
export function isVendorWide(pattern: string): boolean {
  return /^(?:[^/]*\/)?\*+$/.test(pattern);
}
