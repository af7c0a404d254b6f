// Lists in pages: `{data, next_cursor}`. A cursor names the last item of a page, so that changes between two pages
// neither repeat nor hide other items.

import { z } from 'zod';
import { invalidInput } from '../../build/contract/errors.ts';

export const pageQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(50)
    .meta({ description: 'the maximum number of items on a page', example: 50 }),
  cursor: z.string().max(400).optional().meta({ description: '`next_cursor` of the previous page' }),
});

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item).meta({ description: 'the items of this page' }),
    next_cursor: z.string().nullable().meta({ description: 'the cursor for the next page; null on the last page' }),
  });
}

/** A page of `items`, which are in the order of `keyOf` (by UTF-16 units) unless `descending`. */
export function paginate<Item>(
  items: readonly Item[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  keyOf: (item: Item) => string,
  descending = false,
): { data: Item[]; next_cursor: string | null } {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest =
    after === undefined ? items : items.filter((item) => (descending ? keyOf(item) < after : keyOf(item) > after));
  const data = rest.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: last === undefined || rest.length <= limit ? null : writeCursor(keyOf(last)) };
}

export function writeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/** Throws INVALID_INPUT for a cursor that no list here has returned. */
export function readCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString();
  if (writeCursor(key) === cursor) return key;
  throw invalidInput({ path: 'cursor', message: 'is not a cursor that a list here gave out' });
}
