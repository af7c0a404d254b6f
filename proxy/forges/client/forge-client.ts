// A forge over HTTP: the questions of a dialect, asked with the credentials of a connection.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { Dialect, ForgeToken } from '../dialects/dialect.ts';
import { objectOf } from '../dialects/fields.ts';
import { nextQuery } from '../dialects/next-page.ts';
import { forgeTitles, type OwnerName } from '../model/forge-name.ts';
import { parseJsonText } from '../model/json-text.ts';
import { ForgeRefusal } from './forge-failure.ts';
import { refusal } from './forge-refusal-text.ts';
import type { FileAnswer, Forge, ListedPage } from './forge.ts';
import type { AskForge, ForgeAnswer, ForgeHttp } from './forge-http.ts';
import { createPutHook } from './put-hook.ts';
import { dropHook } from './drop-hook.ts';

export interface ForgeClientOptions {
  readonly dialect: Dialect;
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
    const authorization = dialect.authorization(await token());
    const answer = await http.ask({
      url: `${api}${path}`,
      headers: { ...dialect.headers, ...headers, ...authorization },
      content,
    });
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
    composerJson: async (repository) => {
      const file = await dialect.readFile(repository, askPath);
      if (file === undefined) return { outcome: 'missing' };
      return fileOf(await ask(file.path, { headers: { accept: file.accept } }));
    },
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

function parseBody(dialect: Dialect, { text }: ForgeAnswer, path: string): JsonValue {
  const body = parseJsonText(text);
  if (body === undefined) throw unexpected(dialect, path);
  return body;
}

function unexpected({ name }: Dialect, path: string): ForgeRefusal {
  const place = path.split('?', 1)[0] ?? '';
  return new ForgeRefusal(
    `The answer for ${place} is not that of ${forgeTitles[name]}'s API. Check the address of the forge.`,
  );
}
