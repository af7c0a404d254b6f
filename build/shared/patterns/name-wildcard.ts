// Patterns of names in which `*` stands for any characters, a slash included, and case does not matter (Composer's
// BasePackage.php, packageNameToRegexp). Matched without an expression: whoever asks makes up the pattern, and many
// stars would hang one.

/** Linear in the pattern times the name, at worst. `name`: in lower case. */
export function matchesWildcard(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.toLowerCase().split('*');
  const last = parts.pop();
  if (last === undefined) return first === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
