// PHP's version_compare(), by which Composer orders normalized versions (php-src, ext/standard/versioning.c). The
// function is a port, oddities included, for versions that start with a digit and end in a digit or a letter. All
// normalized versions except branches do so.

const specialForms: readonly (readonly [prefix: string, order: number])[] = [
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['RC', 3],
  ['rc', 3],
  ['#', 4],
  ['pl', 5],
  ['p', 5],
];

/** Replaces a number in a comparison with a word: above RC, below a patch. */
const anyNumber = '#N#';

const largestNumber = '9223372036854775807';

export type Order = -1 | 0 | 1;

/**
 * dev < alpha < beta < RC < a number < patch; a word it does not know is less than all of them. Linear in the length of
 * both.
 */
export function phpVersionCompare(left: string, right: string): Order {
  if (left === '' || right === '') return sign(left.length - right.length);
  return compareParts(parts(left), parts(right));
}

/** `1.0.0.0-RC1` → 1, 0, 0, 0, RC, 1 (php_canonicalize_version). */
function parts(version: string): readonly string[] {
  let canonical = version.charAt(0);
  for (let index = 1; index < version.length; index += 1) {
    const [previous, current] = [version.charAt(index - 1), version.charAt(index)];
    const boundary = meetsWord(previous, current);
    const isCopied = boundary || isAlphanumeric(current);
    if ((boundary || !isCopied) && !canonical.endsWith('.')) canonical += '.';
    if (isCopied) canonical += current;
  }
  return canonical.split('.');
}

/** True at the boundary between a number and a word. */
function meetsWord(previous: string, current: string): boolean {
  if (isSeparator(current)) return false;
  return (isWord(previous) && !isSeparator(previous) && isNumber(current)) || (isNumber(previous) && isWord(current));
}

function isSeparator(character: string): boolean {
  return character === '-' || character === '_' || character === '+';
}

function isWord(character: string): boolean {
  return character !== '.' && !isNumber(character);
}

function isAlphanumeric(character: string): boolean {
  return /^[0-9A-Za-z]$/.test(character);
}

function compareParts(left: readonly string[], right: readonly string[]): Order {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const order = comparePart(left[index] ?? '', right[index] ?? '');
    if (order !== 0) return order;
  }
  if (left.length > shared) return surplus(left[shared] ?? '');
  if (right.length > shared) return negated(surplus(right[shared] ?? ''));
  return 0;
}

/**
 * The order of a version relative to one that is equal up to here and has ended: 1.0.1 > 1.0, 1.0-beta < 1.0 < 1.0-p1.
 */
function surplus(part: string): Order {
  if (part === '') return -1;
  return isNumber(part) ? 1 : compareForms(part, anyNumber);
}

function comparePart(left: string, right: string): Order {
  const [leftNumber, rightNumber] = [isNumber(left), isNumber(right)];
  if (leftNumber && rightNumber) return compareNumbers(left, right);
  return compareForms(leftNumber ? anyNumber : left, rightNumber ? anyNumber : right);
}

function isNumber(part: string): boolean {
  return /^[0-9]/.test(part);
}

/** Compares strings, because a date with its time then exceeds no limit; PHP stops at the largest 64-bit integer. */
function compareNumbers(left: string, right: string): Order {
  const [a, b] = [saturated(left), saturated(right)];
  if (a.length !== b.length) return sign(a.length - b.length);
  return a === b ? 0 : a < b ? -1 : 1;
}

function saturated(digits: string): string {
  const number = digits.replace(/^0+/, '');
  const tooLarge =
    number.length > largestNumber.length || (number.length === largestNumber.length && number > largestNumber);
  return tooLarge ? largestNumber : number;
}

function compareForms(left: string, right: string): Order {
  return sign(formOrder(left) - formOrder(right));
}

function formOrder(part: string): number {
  return specialForms.find(([prefix]) => part.startsWith(prefix))?.[1] ?? -1;
}

function sign(difference: number): Order {
  return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}

function negated(order: Order): Order {
  return sign(-order);
}
