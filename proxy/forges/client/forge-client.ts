// A forge over HTTP: the questions of a dialect, asked with the credentials of a connection.

import type { JsonValue, JsonObject } from '../../../build/contract/json.ts';
import type { ForgeDialect, ForgeToken, HookDialect, ListedHook } from '../dialects/dialect.ts';
import { folderName, objectOf, textOf } from '../dialects/fields.ts';
import { nextQuery } from '../dialects/next-page.ts';
import { forgeTitles, type OwnerName } from '../model/forge-name.ts';
import { parseJsonText } from '../model/json-text.ts';
import { ForgeRefusal } from './forge-failure.ts';
import type { FileAnswer, Forge, ListedPage, DroppedHook, HookAnswer, OfferedHook } from './forge.ts';
import type { AskForge, ForgeAnswer, ForgeHttp, ForgeChange } from './forge-http.ts';
import { findHook } from './find-hook.ts';
import { setTimeout as sleep } from 'node:timers/promises';

// Installs one webhook at a forge. A hook with our address is changed instead of doubled, so that a refresh that was
// killed between the forge's answer and our own commit leaves one hook.

/** `path`: of the hooks; undefined: such owners have none. Throws ForgePause and ForgeRefusal. */
type PutHook = (path: string | undefined, hook: OfferedHook) => Promise<HookAnswer>;

function createPutHook(dialect: ForgeDialect, ask: AskForge): PutHook {
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

export interface ForgeClientOptions {
  readonly dialect: ForgeDialect;
  /** where the API's paths begin */
  readonly api: string;
  readonly owner: OwnerName;
  /** valid now */
  readonly token: () => Promise<ForgeToken>;
  readonly http: ForgeHttp;
}

export function createForge(options: ForgeClientOptions): Forge {
  const { dialect, api, owner, token, http } = options;
  const ask: AskForge = async (path, { headers = {}, content } = {}) => {
    const sent = { ...dialect.headers, ...headers, ...dialect.authorization(await token()) };
    const answer = await http.ask({ url: `${api}${path}`, headers: sent, content });
    if (answer.status === 401) throw refusal(dialect, answer, path);
    return answer;
  };
  const askPath = async (path: string): Promise<{ status: 200 | 404; body: JsonValue }> => {
    const answer = await ask(path);
    if (answer.status === 404) return { status: 404, body: null };
    if (answer.status !== 200) throw refusal(dialect, answer, path);
    return { status: 200, body: parseBody(dialect, answer, path) };
  };
  const putHook = createPutHook(dialect, ask);
  return {
    findOwner: () => dialect.findOwner(owner, askPath),
    list: (kind, query, etag) => list(options, ask, dialect.listPath(owner, kind), query, etag),
    composerJson: async (repository, folder = '') => {
      const file = await dialect.readFile(repository, `${folder}composer.json`, askPath);
      if (file === undefined) return { outcome: 'missing' };
      return fileOf(await ask(file.path, { headers: { accept: file.accept } }));
    },
    folders: async (...folder) => foldersAt(dialect, await dialect.folderPath(...folder, askPath), ask),
    find: async (repository) => {
      const path = dialect.repositoryPath(repository, owner);
      const answer = await ask(path);
      if (gone.has(answer.status)) return undefined;
      if (answer.status !== 200) throw refusal(dialect, answer, path);
      const found = dialect.readRepository(objectOf(parseBody(dialect, answer, path)) ?? {}, owner);
      return found?.id === repository.id ? found : undefined;
    },
    putHook: (kind, at, hook) =>
      putHook(at === undefined ? dialect.hooks.ofOwner(owner, kind) : dialect.hooks.ofRepository(at), hook),
    dropOwnerHook: (kind, url) => dropHook(dialect, ask, dialect.hooks.ofOwner(owner, kind), url),
  };
}

async function foldersAt(
  { itemsOf }: ForgeDialect,
  path: string | undefined,
  ask: AskForge,
): Promise<readonly string[]> {
  if (path === undefined) return [];
  const { status, text } = await ask(path);
  const items = status === 200 ? itemsOf(parseJsonText(text) ?? null) : undefined;
  return (items ?? []).flatMap(folderName);
}

const gone: ReadonlySet<number> = new Set([404, 410, 451]);

async function list(
  { dialect, owner }: ForgeClientOptions,
  ask: AskForge,
  first: string,
  query: string | undefined,
  etag: string | undefined,
): Promise<ListedPage | 'unchanged'> {
  const path = query === undefined ? first : `${first.split('?', 1)[0] ?? ''}?${query}`;
  const answer = await ask(path, etag === undefined ? {} : { headers: { 'if-none-match': etag } });
  if (answer.status === 304 && etag !== undefined) return 'unchanged';
  if (answer.status !== 200) throw refusal(dialect, answer, path);
  const body = parseBody(dialect, answer, path);
  const items = dialect.itemsOf(body);
  if (items === undefined) throw unexpected(dialect, path);
  return {
    repositories: items.flatMap((item) => dialect.readRepository(objectOf(item) ?? {}, owner) ?? []),
    etag: answer.headers['etag'],
    next: nextQuery(answer.headers['link'], body, dialect.nextIn),
  };
}

/** The largest composer.json that is read; real ones have a few kilobytes. */
const longestFile = 1024 ** 2;

function fileOf({ status, text }: ForgeAnswer): FileAnswer {
  if (status === 200 && text.length <= longestFile) return { outcome: 'read', text };
  return { outcome: status === 404 ? 'missing' : status === 403 ? 'forbidden' : 'unreadable' };
}

function parseBody(dialect: ForgeDialect, { text }: ForgeAnswer, path: string): JsonValue {
  const body = parseJsonText(text);
  if (body === undefined) throw unexpected(dialect, path);
  return body;
}

function unexpected({ name }: ForgeDialect, path: string): ForgeRefusal {
  const place = path.split('?', 1)[0] ?? '';
  return new ForgeRefusal(
    `The answer for ${place} is not that of ${forgeTitles[name]}'s API. Check the address of the forge.`,
  );
}

// Removes one webhook at a forge, when its connection ends: without it, each push would be sent with a secret that this
// registry has forgotten.

/** `path`: of the hooks; undefined: such owners have none. `url`: of the hook. Throws ForgePause and ForgeRefusal. */
async function dropHook(
  dialect: ForgeDialect,
  ask: AskForge,
  path: string | undefined,
  url: string,
): Promise<DroppedHook> {
  if (path === undefined) return { outcome: 'none' };
  const known = await findHook(dialect, ask, path, url);
  if (known === 'none') return { outcome: 'none' };
  const status =
    typeof known === 'number' ? known : (await ask(`${path}/${known.id}`, { content: { method: 'DELETE' } })).status;
  if (typeof known !== 'number' && (status === 204 || status === 200 || status === 404)) return { outcome: 'removed' };
  const title = forgeTitles[dialect.name];
  return { outcome: 'refused', message: `${title} refused to remove the webhook at ${path} (status ${status}).` };
}

// A refusal of a forge in words: who refused what, and what to do. Sentences and links of the forge are shown as text,
// and shortened.

function refusal({ name }: Pick<ForgeDialect, 'name'>, answer: ForgeAnswer, path: string): ForgeRefusal {
  return new ForgeRefusal(textOfRefusal(forgeTitles[name], answer, path.split('?', 1)[0] ?? ''), {
    status: answer.status,
  });
}

function textOfRefusal(title: string, answer: ForgeAnswer, place: string): string {
  const { status } = answer;
  if (status === 401)
    return `${title} did not accept the credentials. They may be expired or revoked: give the connection new ones.`;
  if (status === 403)
    return (
      `${title} forbids ${place} for these credentials.${sentenceOf(answer)}${singleSignOn(answer)} Give them the ` +
      'permissions in the how-to of the connection.'
    );
  if (status === 404)
    return `${title} has no ${place}, or these credentials do not see it. Check the owner and the permissions.`;
  if (status >= 300 && status < 400)
    return `${title} answered ${place} with a redirect (status ${status}). Use the address to which it moved.`;
  return `${title} answered ${place} with status ${status}. Check that the address is that of ${title}.`;
}

const longest = 300;

/** The forge's own sentence: one line of visible characters. */
function sentenceOf({ text }: ForgeAnswer): string {
  const body = objectOf(parseJsonText(text) ?? null);
  const message = textOf(body?.['message']) ?? textOf(objectOf(body?.['error'])?.['message']);
  const line = message?.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim() ?? '';
  if (line === '') return '';
  return ` It says: “${line.length > longest ? `${line.slice(0, longest)}…` : line}”`;
}

/** GitHub's `X-GitHub-SSO: required; url=…`: where the token is permitted for an organisation with single sign-on. */
function singleSignOn({ headers }: ForgeAnswer): string {
  const link = /^required; *url=(https:\/\/[\x21-\x7e]{1,500})$/.exec(headers['x-github-sso'] ?? '')?.[1];
  return link === undefined ? '' : ` Permit the token for the single sign-on of the organisation: ${link}`;
}
