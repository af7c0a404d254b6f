// Reads all pages of a list.

import { UsageError } from '../io/usage-error.ts';

/** Items of a page, as every list answers. */
export interface ListPage<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const longestPage = 200;
/** More than any list has: a server that sends empty pages for ever is none. */
const mostPages = 10_000;

/**
 * The items of all pages, or the first `most`. `more`: what the list takes beside its page. Throws UsageError for a
 * list without an end.
 */
export async function allPages<Input extends PageQuery, Item>(
  read: (query: Input) => Promise<ListPage<Item>>,
  more?: Omit<Input, keyof PageQuery>,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const seen = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null && items.length < most;) {
    const limit = Math.min(longestPage, most - items.length);
    const page: ListPage<Item> = await read({ ...more, limit, cursor } as unknown as Input);
    for (const item of page.data) items.push(item);
    cursor = page.next_cursor;
    if (cursor !== null && (seen.size === seen.add(cursor).size || seen.size > mostPages))
      throw new UsageError('The list of the registry has no end. Check its address.');
  }
  return items;
}
