// Reads all pages of a list.

import { UsageError } from '../io/usage-error.ts';

/** Items of a page, as every list answers. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The most items of a page. */
export const longestPage = 200;

/** `more`: what the list takes beside its page. Throws UsageError for a list that repeats a page. */
export async function allPages<Input extends PageQuery, Item>(
  read: (query: Input) => Promise<Page<Item>>,
  more?: Omit<Input, keyof PageQuery>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const seen = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page<Item> = await read({ ...more, limit: longestPage, cursor } as unknown as Input);
    for (const item of page.data) items.push(item);
    cursor = page.next_cursor;
    if (cursor !== null && seen.size === seen.add(cursor).size)
      throw new UsageError('The registry gives the same page of a list again. Check its address.');
  }
  return items;
}
