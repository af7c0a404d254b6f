// Installs one webhook at a forge. A hook with our address is changed instead of doubled, so that a refresh that was
// killed between the forge's answer and our own commit leaves one hook.

import type { Dialect, ListedHook } from '../dialects/dialect.ts';
import { arrayOf, objectOf } from '../dialects/fields.ts';
import { forgeTitles } from '../model/forge-name.ts';
import { parseJsonText } from '../model/json-text.ts';
import type { HookAnswer, OfferedHook } from './forge.ts';
import type { AskForge } from './forge-http.ts';

/** `path`: of the hooks; undefined: such owners have none. Throws ForgePause and ForgeRefusal. */
export async function putHook(
  dialect: Dialect,
  ask: AskForge,
  path: string | undefined,
  { url, makeSecret }: OfferedHook,
): Promise<HookAnswer> {
  const title = forgeTitles[dialect.name];
  if (path === undefined) return { outcome: 'refused', message: `This kind of owner has no webhooks on ${title}.` };
  const listed = await ask(path);
  if (listed.status !== 200) return refused(title, path, listed.status);
  const known = hooksIn(dialect, listed.text).find((hook) => hook.url === url);
  const { body, changeBy } = dialect.hooks;
  const json = body(url, (await makeSecret()).reveal());
  const answer =
    known === undefined
      ? await ask(path, { content: { method: 'POST', json } })
      : await ask(`${path}/${known.id}`, { content: { method: changeBy, json } });
  return answer.status === 200 || answer.status === 201
    ? { outcome: 'installed' }
    : refused(title, path, answer.status);
}

function hooksIn({ hooks, itemsOf }: Dialect, text: string): readonly ListedHook[] {
  const body = parseJsonText(text) ?? null;
  const items = arrayOf(body) ?? itemsOf(body) ?? [];
  return items.flatMap((item) => hooks.read(objectOf(item) ?? {}) ?? []);
}

function refused(title: string, path: string, status: number): HookAnswer {
  const why =
    status === 422
      ? 'it does not accept the address of this registry; it must be reachable from there'
      : 'the credentials may not manage webhooks there';
  return { outcome: 'refused', message: `${title} refused the webhook at ${path} (status ${status}): ${why}.` };
}
