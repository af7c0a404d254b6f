// Finds package names that differ from a mistyped name by one or two slips. Composer shows these names as "Did you
// mean this?". Composer's findSimilar (PackageDiscoveryTrait.php) sorts the results of a search for the whole name and
// shows five. Pure.

/** vendor/name, roughly: it was typed */
const whole = /^[^\s/]+\/[^\s/]+$/;
/** So many names take a few milliseconds; then the function yields to other requests. */
const namesInTurn = 1000;

/**
 * The `packages` whose names are nearest to `typed`, at most `most`, nearest first; equals in their original order.
 * Empty if `typed` is no valid package name.
 */
export async function similarNames<Named extends { readonly name: string }>(
  packages: Iterable<Named>,
  typed: string,
  most: number,
): Promise<readonly Named[]> {
  const name = typed.trim().toLowerCase();
  // one typing error in four letters: a shorter name is similar to too many others
  const slips = Math.min(2, Math.floor(name.length / 4));
  if (!whole.test(name)) return [];
  return nearest(packages, (other) => slipsBetween(name, other.name, slips), slips, most);
}

/** Those with at most `allowed` slips, nearest first. */
async function nearest<Named>(
  all: Iterable<Named>,
  slipsOf: (named: Named) => number,
  allowed: number,
  most: number,
): Promise<readonly Named[]> {
  const found: { readonly named: Named; readonly slips: number }[] = [];
  let looked = 0;
  for (const named of all) {
    if ((looked += 1) % namesInTurn === 0) await new Promise(setImmediate);
    const slips = slipsOf(named);
    if (slips <= allowed) found.push({ named, slips });
  }
  return found
    .sort((one, other) => one.slips - other.slips)
    .slice(0, most)
    .map(({ named }) => named);
}

const mostWords = 4;

/** Those whose texts have, for each word of `typed`, a part with few slips; nearest first. */
export async function similarParts<Named>(
  all: Iterable<Named>,
  typed: string,
  most: number,
  textOf: (named: Named) => string,
): Promise<readonly Named[]> {
  // the parts of an address are too short for slips
  const split = typed.includes('@') ? wordsOf : partsOf;
  const words = split(typed.trim())
    .slice(0, mostWords)
    .map((word) => ({ word, slips: new Map<string, number>() }));
  const slipsOf = (named: Named): number => {
    const text = textOf(named);
    // `xmlexport` is `acme/xml-export`
    const parts = [...split(text), text.slice(text.lastIndexOf('/') + 1).replaceAll('-', '')];
    return words.reduce((sum, word) => sum + leastSlips(word, parts), 0);
  };
  return nearest(all, slipsOf, mostWords * 2, most);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/);
}

function partsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/[\s/_.@,:()-]+/);
}

/**
 * Infinity: no part is similar. Most parts are ruled out by their length and letters, which costs little. `slips`: of the
 * others, since many names have the same part.
 */
function leastSlips(
  { word, slips }: { readonly word: string; readonly slips: Map<string, number> },
  parts: readonly string[],
): number {
  const allowed = Math.min(2, Math.floor(word.length / 4));
  let least = Infinity;
  for (const part of parts) {
    if (omits(word, part)) least = Math.min(least, 2);
    if (Math.abs(part.length - word.length) > allowed || lacks(part, word, allowed)) continue;
    // the word may be the beginning of the part, since people stop typing early
    const begun = () => slipsBetween(word, part.slice(0, word.length), allowed);
    const known = slips.get(part) ?? Math.min(slipsBetween(word, part, allowed), begun());
    slips.set(part, known);
    if (known <= allowed) least = Math.min(least, known);
  }
  return least;
}

/** True if more than `most` letters of the word do not occur in the part. */
function lacks(part: string, word: string, most: number): boolean {
  let missing = 0;
  for (let at = 0; at < word.length && missing <= most; at += 1) if (!part.includes(word.charAt(at))) missing += 1;
  return missing > most;
}

/** True if the word is the part without two of its letters, which are not the first: `bilng` for `billing`. */
function omits(word: string, part: string): boolean {
  if (part.length !== word.length + 2 || word.length < 4 || part[0] !== word[0]) return false;
  let found = 0;
  for (let at = 0; at < part.length; at += 1) if (part[at] === word[found]) found += 1;
  return found === word.length;
}

/**
 * The number of wrong, missing, additional or swapped letters (optimal string alignment); any number above `most` if it
 * exceeds `most`.
 */
function slipsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      let slips = Math.min(at(row, j - 1) + (same ? 0 : 1), at(row, j) + 1, at(next, j - 1) + 1);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        slips = Math.min(slips, at(before, j - 2) + 1);
      next.push(slips);
    }
    if (Math.min(...next) > most) return most + 1;
    [before, row] = [row, next];
  }
  return at(row, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
