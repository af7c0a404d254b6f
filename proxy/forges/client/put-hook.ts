// Installs one webhook at a forge. A hook with our address is changed instead of doubled, so that a refresh that was
// killed between the forge's answer and our own commit leaves one hook. All pages of the list are searched for it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import type { Dialect, HookDialect, ListedHook } from '../dialects/dialect.ts';
import { arrayOf, objectOf } from '../dialects/fields.ts';
import { nextQuery } from '../dialects/next-page.ts';
import { forgeTitles } from '../model/forge-name.ts';
import { parseJsonText } from '../model/json-text.ts';
import type { HookAnswer, OfferedHook } from './forge.ts';
import type { AskForge, ForgeAnswer, ForgeChange } from './forge-http.ts';

/** `path`: of the hooks; undefined: such owners have none. Throws ForgePause and ForgeRefusal. */
export type PutHook = (path: string | undefined, hook: OfferedHook) => Promise<HookAnswer>;

export function createPutHook(dialect: Dialect, ask: AskForge): PutHook {
  const { body, kind, changeBy, otherBody, read } = dialect.hooks;
  const change = createChange(dialect.hooks, ask);
  const make = (path: string, json: JsonObject): Promise<ForgeAnswer> =>
    change(path, { method: 'POST', json: { ...kind, ...json } });
  const renew = async (path: string, { id }: ListedHook, json: JsonObject): Promise<ForgeAnswer> => {
    if (changeBy !== 'replacement') return change(`${path}/${id}`, { method: changeBy, json });
    const answer = await change(`${path}/${id}`, { method: 'DELETE' });
    return answer.status === 204 || answer.status === 404 ? make(path, json) : answer;
  };
  return async (path, { url, makeSecret }) => {
    const title = forgeTitles[dialect.name];
    if (path === undefined) return { outcome: 'refused', message: `This kind of owner has no webhooks on ${title}.` };
    const known = await findHook(dialect, ask, path, url);
    if (typeof known === 'number') return refused(title, path, known);
    const secret = (await makeSecret()).reveal();
    let answer = known === 'none' ? await make(path, body(url, secret)) : await renew(path, known, body(url, secret));
    const shown = isDone(answer) ? (objectOf(parseJsonText(answer.text)) ?? {}) : {};
    const [made, other] = [read(shown), otherBody?.(shown, url, secret)];
    if (made !== undefined && other !== undefined) answer = await renew(path, made, other);
    return isDone(answer) ? { outcome: 'installed' } : refused(title, path, answer.status);
  };
}

function isDone({ status }: ForgeAnswer): boolean {
  return status === 200 || status === 201;
}

/** Sends changes with the pauses that the forge asks for. */
function createChange(
  { pauseMs }: HookDialect,
  ask: AskForge,
): (path: string, content: ForgeChange) => Promise<ForgeAnswer> {
  let isFirst = true;
  return async (path, content) => {
    if (!isFirst && pauseMs > 0) await sleep(pauseMs);
    isFirst = false;
    return ask(path, { content });
  };
}

/** No forge has more hooks at one place than so many pages. */
const mostPages = 50;

/** The hook with our address; a number: the status of a refusal. */
async function findHook(
  dialect: Dialect,
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
  { hooks: { firstPage, pages }, nextIn }: Dialect,
  { headers }: ForgeAnswer,
  body: JsonValue,
  number: number,
): string | undefined {
  const named = nextQuery(headers['link'], body, nextIn);
  return named ?? (pages === 'numbered' ? firstPage.replace('page=1', `page=${number}`) : undefined);
}

function hooksIn({ hooks, itemsOf }: Dialect, body: JsonValue): readonly ListedHook[] {
  const items = arrayOf(body) ?? itemsOf(body) ?? [];
  return items.flatMap((item) => hooks.read(objectOf(item) ?? {}) ?? []);
}

function refused(title: string, path: string, status: number): HookAnswer {
  const why =
    status === 422
      ? 'it does not accept the address of this registry, which must be reachable from there, or has too many webhooks'
      : 'the credentials may not manage webhooks there';
  return { outcome: 'refused', message: `${title} refused the webhook at ${path} (status ${status}): ${why}.` };
}
