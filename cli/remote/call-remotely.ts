// Calls an operation of a remote registry over its API, and makes the address of the console's form for an operation
// that needs a session.

import { Readable } from 'node:stream';

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { hasCondition } from '../../proxy/auth/permissions.ts';
import type { Operation } from '../../proxy/registry/operation.ts';
import { requestRemote } from './request-remote.ts';
import type { Remote } from './remote.ts';

/** The operation needs a session: the person confirms it in the console. Nothing was sent or changed. */
export class NeedsConsole extends Error {
  /** the form with its fields filled in */
  readonly form: string;

  constructor(summary: string, form: string) {
    super(
      `${summary}: this needs a session, which a token of \`libretto login\` is not. Nothing was changed. Confirm it ` +
        'in the console; the form is filled in:',
    );
    this.name = 'NeedsConsole';
    this.form = form;
  }
}

/** Throws NeedsConsole, RegistryError with the registry's refusal, and RemoteFailure. */
export async function callRemotely<Input, Output>(
  remote: Remote,
  operation: Operation<never, Input, Output>,
  input: Input,
): Promise<Output> {
  const { id, method, path, query, body, summary, form } = operation;
  const values = input as JsonObject;
  if (form !== undefined && hasCondition(id, 'session'))
    throw new NeedsConsole(summary, `${remote.url}/ui${formTarget(form, values)}`);
  const asked = parametersOf(pick(values, query));
  const target = `${filled(path, /\{(\w+)\}/g, values)}${asked.size > 0 ? `?${asked}` : ''}`;
  const sent =
    body === undefined
      ? {}
      : {
          headers: { 'content-type': 'application/json' },
          body: Readable.from([JSON.stringify(pick(values, body))]),
        };
  const answer = await requestRemote(remote, { method: upperCase(method), path: target, ...sent });
  return answer.body as Output;
}

/** Items of a page, as every list answers. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const longestPage = 200;

/** The items of all pages. `more`: what the list takes beside its page. */
export async function allPages<Input extends PageQuery, Item>(
  read: (query: Input) => Promise<Page<Item>>,
  more?: Omit<Input, keyof PageQuery>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page<Item> = await read({ ...more, limit: longestPage, cursor } as unknown as Input);
    items.push(...page.data);
    cursor = page.next_cursor;
  }
  return items;
}

function upperCase<Method extends string>(method: Method): Uppercase<Method> {
  return method.toUpperCase() as Uppercase<Method>;
}

/** The values of the schema's fields that are given. */
function pick(values: JsonObject, schema: Operation<never>['body']): JsonObject {
  const names = Object.keys(schema?.shape ?? {});
  return Object.fromEntries(
    names.flatMap((name): [string, JsonValue][] => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function filled(path: string, place: RegExp, values: JsonObject): string {
  return path.replaceAll(place, (_, name: string) => encodeURIComponent(String(values[name])));
}

/** `/teams/:id/edit` with the values of the path, and the others as the fields of the form. */
function formTarget(form: string, values: JsonObject): string {
  const path = filled(form, /:(\w+)/g, values);
  const fields = parametersOf(
    Object.fromEntries(Object.entries(values).filter(([name]) => !form.includes(`:${name}`))),
  );
  return `${path}${fields.size > 0 ? `?${fields}` : ''}`;
}

function parametersOf(values: JsonObject): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) parameters.set(name, textOf(value));
  return parameters;
}

/** As a form has it: one entry a line, and nothing for null. */
function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name} = ${textOf(one ?? null)}`)
      .join('\n');
  return value === null ? '' : String(value);
}
