// Installs one webhook at a forge. A hook with our address is changed instead of doubled, so that a refresh that was
// killed between the forge's answer and our own commit leaves one hook.

import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { ForgeDialect, HookDialect, ListedHook } from '../dialects/dialect.ts';
import { objectOf } from '../dialects/fields.ts';
import { forgeTitles } from '../model/forge-name.ts';
import { parseJsonText } from '../model/json-text.ts';
import { findHook } from './find-hook.ts';
import type { HookAnswer, OfferedHook } from './forge.ts';
import type { AskForge, ForgeAnswer, ForgeChange } from './forge-http.ts';

/** `path`: of the hooks; undefined: such owners have none. Throws ForgePause and ForgeRefusal. */
export type PutHook = (path: string | undefined, hook: OfferedHook) => Promise<HookAnswer>;

export function createPutHook(dialect: ForgeDialect, ask: AskForge): PutHook {
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

function refused(title: string, path: string, status: number): HookAnswer {
  const why =
    status === 422
      ? 'it does not accept the address of this registry, which must be reachable from there, or has too many webhooks'
      : 'the credentials may not manage webhooks there';
  return { outcome: 'refused', message: `${title} refused the webhook at ${path} (status ${status}): ${why}.` };
}
