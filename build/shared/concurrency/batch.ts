// Runs many tasks, some concurrently. After a failure it starts no other task, and awaits the running ones before it
// rejects. So the caller can clean up without concurrent writers.

import pLimit from 'p-limit';

/** Results in the order of the items. Throws the first failure. */
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
