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

  /** `missing`: the secret fields that the person fills in there */
  constructor(summary: string, form: string, missing: readonly string[]) {
    const rest = missing.length === 0 ? '' : `, but for ${missing.join(' and ')}: no link holds a secret`;
    super(
      `${summary}: this needs a session, which a token of \`libretto login\` is not. Nothing was changed. Confirm it ` +
        `in the console; the form is filled in${rest}:`,
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
  const { id, method, path, query, body, summary, form, secrets = [] } = operation;
  const values = input as JsonObject;
  if (form !== undefined && hasCondition(id, 'session'))
    throw new NeedsConsole(
      summary,
      `${remote.url}/ui${formTarget(form, values, pick(values, body), secrets)}`,
      secrets.filter((name) => values[name] !== undefined),
    );
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

/** `/teams/:id/edit` with the values of the path, and the fields of the form but for secrets. */
function formTarget(form: string, values: JsonObject, fields: JsonObject, secrets: readonly string[]): string {
  const shown = Object.entries(fields).filter(([name]) => !secrets.includes(name));
  const query = parametersOf(Object.fromEntries(shown.map(([name, value]) => [name, checkable(value)])));
  return `${filled(form, /:(\w+)/g, values)}${query.size > 0 ? `?${query}` : ''}`;
}

/** true and false are a checkbox in a form. */
function checkable(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === 'boolean' ? (value ? 'on' : null) : value;
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
