// Finds the webhook with our address at a forge. All pages of the list are searched for it.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { ForgeDialect, ListedHook } from '../dialects/dialect.ts';
import { arrayOf, objectOf } from '../dialects/fields.ts';
import { nextQuery } from '../dialects/next-page.ts';
import { parseJsonText } from '../model/json-text.ts';
import type { AskForge, ForgeAnswer } from './forge-http.ts';

/** No forge has more hooks at one place than so many pages. */
const mostPages = 50;

/** The hook with our address; a number: the status of a refusal. */
export async function findHook(
  dialect: ForgeDialect,
  ask: AskForge,
  path: string,
  url: string,
): Promise<ListedHook | 'none' | number> {
  const seen = new Set<string>();
  let query: string | undefined = dialect.hooks.firstPage;
  for (let page = 1; page <= mostPages && query !== undefined; page += 1) {
    const answer: ForgeAnswer = await ask(`${path}?${query}`);
    if (answer.status !== 200) return answer.status;
    const body = parseJsonText(answer.text) ?? null;
    const hooks = hooksIn(dialect, body);
    const known = hooks.find((hook) => hook.url === url);
    if (known !== undefined) return known;
    // old versions of Gitea answer each number with the same page
    const isNew = hooks.some(({ id }) => !seen.has(id));
    for (const { id } of hooks) seen.add(id);
    query = isNew ? nextOf(dialect, answer, body, page + 1) : undefined;
  }
  return 'none';
}

function nextOf(
  { hooks: { firstPage, pages }, nextIn }: ForgeDialect,
  { headers }: ForgeAnswer,
  body: JsonValue,
  number: number,
): string | undefined {
  const named = nextQuery(headers['link'], body, nextIn);
  return named ?? (pages === 'numbered' ? firstPage.replace('page=1', `page=${number}`) : undefined);
}

function hooksIn({ hooks, itemsOf }: ForgeDialect, body: JsonValue): readonly ListedHook[] {
  const items = arrayOf(body) ?? itemsOf(body) ?? [];
  return items.flatMap((item) => hooks.read(objectOf(item) ?? {}) ?? []);
}
