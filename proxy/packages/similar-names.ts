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
  const found: { readonly named: Named; readonly slips: number }[] = [];
  let looked = 0;
  for (const named of packages) {
    if ((looked += 1) % namesInTurn === 0) await new Promise(setImmediate);
    const distance = slipsBetween(name, named.name, slips);
    if (distance <= slips) found.push({ named, slips: distance });
  }
  return found
    .sort((one, other) => one.slips - other.slips)
    .slice(0, most)
    .map(({ named }) => named);
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
