// Decides whether the licences of a version are allowed. Pure.

/** `allowed`: SPDX identifiers, case-insensitive; a `*` at the end matches any characters. */
export function licenseTest(allowed: readonly string[]): (stated: readonly string[]) => boolean {
  const wanted = allowed.map((text) => text.toLowerCase());
  const isWanted = (identifier: string): boolean =>
    wanted.some((text) => (text.endsWith('*') ? identifier.startsWith(text.slice(0, -1)) : identifier === text));
  // several licences of a package are a choice (composer.json schema, `license`)
  return (stated) => stated.some((expression) => holds(expression, isWanted));
}

/** `(A or B) and C`, in the syntax of composer.json: `and` binds stronger. An unreadable part is false. */
function holds(expression: string, isWanted: (identifier: string) => boolean): boolean {
  const tokens =
    expression
      .toLowerCase()
      .match(/[()]|[^\s()]+/g)
      ?.slice(0, 100) ?? [];
  let at = 0;
  const primary = (): boolean => {
    const token = tokens[at++];
    if (token !== '(') return token !== undefined && token !== ')' && isWanted(token);
    const inner = either();
    return tokens[at++] === ')' && inner;
  };
  const both = (): boolean => {
    let all = primary();
    while (tokens[at] === 'and') {
      at += 1;
      all = primary() && all;
    }
    return all;
  };
  function either(): boolean {
    let any = both();
    while (tokens[at] === 'or') {
      at += 1;
      any = both() || any;
    }
    return any;
  }
  return either() && at === tokens.length;
}
