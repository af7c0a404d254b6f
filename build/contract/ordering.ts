// The order of versions in our documents. Composer's own order leaves branches undecided and treats 01.0.0.0 as
// 1.0.0.0. This order is total, so that a document does not depend on the order in which its versions were found.

import { phpVersionCompare, type Order } from './php-version-compare.ts';
import type { NormalizedVersion } from './version.ts';

/**
 * Ascending. Numbered versions are in Composer's order (dev < alpha < beta < RC < stable < patch; 9999999-dev and dates
 * above other numbers); `dev-` branches by name are below all of them. Versions that Composer treats as equal are in
 * the order of their text.
 */
export function compareNormalized(left: NormalizedVersion, right: NormalizedVersion): Order {
  const [leftBranch, rightBranch] = [left.startsWith('dev-'), right.startsWith('dev-')];
  if (leftBranch !== rightBranch) return leftBranch ? -1 : 1;
  const order = leftBranch ? 0 : phpVersionCompare(left, right);
  if (order !== 0 || left === right) return order;
  return left < right ? -1 : 1;
}
