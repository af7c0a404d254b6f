// Runs many pieces of work, some at once. When one fails no other is begun, and those that had begun are waited for
// before the failure is told: whoever then clears up has nobody still writing beside them.

import pLimit from 'p-limit';

/** Results in the order of the items. Throws what failed first. */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit(atOnce);
  const results: Result[] = [];
  const failures: unknown[] = [];
  const piece = async (item: Item, at: number): Promise<void> => {
    if (failures.length > 0) return;
    try {
      results[at] = await work(item);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(items.map((item, at) => limit(() => piece(item, at))));
  if (failures.length > 0) throw failures[0];
  return results;
}
