// Ranks the results of a search: names before keywords before descriptions, maintained before abandoned packages, and
// much used packages before others. Pure.

import { searchFilter, wordsOf, type Searched } from './search-packages.ts';

export interface RankedSearch {
  /** words that must all occur in name, description or keywords; none: all packages */
  readonly words: string;
  /** exactly, in any case; undefined: any */
  readonly type: string | undefined;
  /** the maximum number of results */
  readonly best: number;
}

export interface Ranked<Summary> {
  /** best first */
  readonly best: readonly Summary[];
  /** number of matches */
  readonly total: number;
}

interface Candidate<Summary extends Searched> {
  readonly summary: Summary;
  readonly score: number;
  readonly uses: number;
}

/** So many packages take a few milliseconds; then the function yields to other requests. */
const packagesInTurn = 1000;

/** `packages`: by name. `usesOf`: how much a package is used; it decides between equals, and then the name. */
export async function rankPackages<Summary extends Searched>(
  packages: Iterable<Summary>,
  { words, type, best }: RankedSearch,
  usesOf: (name: string) => number,
): Promise<Ranked<Summary>> {
  const wanted = wordsOf(words);
  const fits = searchFilter({ words, type });
  const leading: Candidate<Summary>[] = [];
  let [looked, total] = [0, 0];
  for (const summary of packages) {
    if ((looked += 1) % packagesInTurn === 0) await new Promise(setImmediate);
    if (!fits(summary)) continue;
    total += 1;
    insert(
      leading,
      { summary, score: wanted.reduce((sum, word) => sum + scoreOf(summary, word), 0), uses: usesOf(summary.name) },
      best,
    );
  }
  return { best: leading.map(({ summary }) => summary), total };
}

/** Inserts a candidate at its rank, behind its equals, and drops the last one above `most`. */
function insert<Summary extends Searched>(
  leading: Candidate<Summary>[],
  candidate: Candidate<Summary>,
  most: number,
): void {
  const last = leading.at(-1);
  if (leading.length >= most && (last === undefined || !isBetter(candidate, last))) return;
  let [low, high] = [0, leading.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBetter(candidate, leading[middle] as Candidate<Summary>)) high = middle;
    else low = middle + 1;
  }
  leading.splice(low, 0, candidate);
  if (leading.length > most) leading.pop();
}

function isBetter(one: Candidate<Searched>, other: Candidate<Searched>): boolean {
  if (one.score !== other.score) return one.score > other.score;
  const [maintained, otherMaintained] = [one.summary.abandoned === false, other.summary.abandoned === false];
  return maintained === otherMaintained ? one.uses > other.uses : maintained;
}

/** The score of a word that occurs in the package. */
function scoreOf({ name, keywords }: Searched, word: string): number {
  const project = name.slice(name.indexOf('/') + 1);
  if (name === word || project === word) return 6;
  if (project.startsWith(word) || name.startsWith(word)) return 5;
  if (name.includes(word)) return startsPart(name, word) ? 4 : 3;
  return keywords.some((keyword) => keyword.toLowerCase() === word) ? 2 : 1;
}

/** `http` in `acme/simple-http`, but not in `acme/xhttp`. */
function startsPart(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at !== -1; at = name.indexOf(word, at + 1))
    if (at === 0 || '/-_.'.includes(name.charAt(at - 1))) return true;
  return false;
}
