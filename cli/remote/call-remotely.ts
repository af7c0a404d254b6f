// Calls an operation of a remote registry over its API, and makes the address of the console's form for an operation
// that needs a session.

import { Readable } from 'node:stream';

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { roleRefusal, teamsRefusal } from '../../proxy/auth/caller.ts';
import { hasCondition, type OperationId } from '../../proxy/auth/permissions.ts';
import type { Role } from '../../proxy/core/tokens/person.ts';
import { hashToken, parseToken } from '../../proxy/core/tokens/token-format.ts';
import { refusalOf, type FilledForm, type Operation } from '../../proxy/registry/operation.ts';
import { signTarget } from '../../proxy/registry/signed-link.ts';
import { UsageError } from '../io/usage-error.ts';
import { NeedsConsole } from './needs-console.ts';
import { RemoteFailure, type Remote } from './remote.ts';
import { requestRemote } from './request-remote.ts';

/** Throws NeedsConsole, RegistryError with the registry's refusal, and RemoteFailure. */
export async function callRemotely<Input, Output>(
  remote: Remote,
  operation: Operation<never, Input, Output>,
  input: Input,
): Promise<Output> {
  const { id, method, path, query, body, answer: answers } = operation;
  const values = input as JsonObject;
  if (hasCondition(id, 'session')) throw await inConsole(remote, operation, input);
  const asked = new URLSearchParams(
    Object.entries(pick(values, query)).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const target = `${filled(path, placeOfPath, values)}${asked.size > 0 ? `?${asked}` : ''}`;
  const sent =
    body === undefined
      ? {}
      : {
          headers: { 'content-type': 'application/json' },
          body: Readable.from([JSON.stringify(pick(values, body))]),
        };
  const answer = await requestRemote(remote, { method: upperCase(method), path: target, ...sent });
  if (answers.safeParse(answer.body).success) return answer.body as Output;
  throw new RemoteFailure(
    `${remote.url} answered, but not as this version of Libretto expects: ${id}. Check the address, and the version of ` +
      'the registry.',
  );
}

/** What the person confirms in the console. Throws the refusal that is known before. */
async function inConsole<Input, Output>(
  remote: Remote,
  operation: Operation<never, Input, Output>,
  input: Input,
): Promise<NeedsConsole> {
  const { id, params, query, body, summary, form, secrets = [] } = operation;
  const values = input as JsonObject;
  await assertMay(remote, id);
  const checked = body?.safeParse(pick(values, body));
  if (checked?.error !== undefined) throw refusalOf(checked.error);
  const shown =
    form === undefined
      ? operation.formFor?.(input)
      : formOf(form, values, { ...pick(values, params), ...pick(values, query), ...pick(values, body) });
  if (shown === undefined)
    throw new UsageError(
      `${summary}: the console has no form for this. Nothing was changed. Make one change after the other. For what the ` +
        'console cannot do, run the same command on the host of the registry.',
    );
  await assertThere(remote, operation, values);
  return needsConsole(remote, summary, shown, secrets);
}

/**
 * Throws INSUFFICIENT_SCOPE for a person whose role does not have the operation, for one who sees only the packages of
 * teams, and for a token of nobody.
 */
async function assertMay(remote: Remote, id: OperationId): Promise<void> {
  const { body } = await requestRemote(remote, { method: 'GET', path: '/api/auth/me' });
  const rights = body['policy_editor'] === true ? (['policy editor'] as const) : [];
  const message = roleRefusal(id, { role: body['role'] as Role, rights });
  if (message !== undefined) throw new RegistryError('INSUFFICIENT_SCOPE', { message });
  if (body['sees_all_packages'] === false && !hasCondition(id, 'team views'))
    throw new RegistryError('INSUFFICIENT_SCOPE', { message: teamsRefusal });
}

/** Throws NOT_FOUND for an id or a package that the registry does not have: its form would be a missing page. */
async function assertThere(
  remote: Remote,
  { path, there }: Pick<Operation<never>, 'path' | 'there'>,
  values: JsonObject,
): Promise<void> {
  const one = there ?? /^\/api\/\w+\/(?:\{id\}|\{vendor\}\/\{package\})/.exec(path)?.[0];
  if (one !== undefined) await requestRemote(remote, { method: 'GET', path: filled(one, placeOfPath, values) });
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

const placeOfPath = /\{(\w+)\}/g;

/** Throws UsageError for a value that is no segment of a path: addresses drop `.` and `..`. */
function filled(path: string, place: RegExp, values: JsonObject): string {
  return path.replaceAll(place, (_, name: string) => {
    const text = String(values[name]);
    if (/^\.{0,2}$/.test(text)) throw new UsageError(`${JSON.stringify(text)} is no id and no name.`);
    return encodeURIComponent(text);
  });
}

/** `/teams/:id/edit` with the values of the path, and the other fields. */
function formOf(form: string, values: JsonObject, all: JsonObject): FilledForm {
  const fields = Object.entries(all).filter(([name]) => !form.split('/').includes(`:${name}`));
  return { path: filled(form, /:(\w+)/g, values), fields: Object.fromEntries(fields) };
}

/** A link holds no secret: the person fills it in. The console takes the fields of the person's own token. */
function needsConsole(
  { url, token }: Remote,
  summary: string,
  { path, fields = {} }: FilledForm,
  secrets: readonly string[],
): NeedsConsole {
  const open = Object.entries(fields).filter(([name]) => !secrets.includes(name));
  const query = parametersOf(Object.fromEntries(open));
  const missing = secrets.filter((name) => fields[name] !== undefined && fields[name] !== null);
  // a question without fields has nothing to fill in
  if (query.size === 0) return new NeedsConsole(summary, `${url}/ui${path}`, false, missing);
  const own = parseToken(token);
  const target = `${path}?${query}`;
  const link = `${url}/ui${own === undefined ? target : signTarget(target, hashToken(own))}`;
  if (link.length > longestLink)
    throw new UsageError(
      `${summary}: this is too much for a link (${link.length} characters; at most ${longestLink}). Nothing was changed. ` +
        'Make the change in the console, or run the same command on the host of the registry.',
    );
  return new NeedsConsole(summary, link, true, missing);
}

/** A reverse proxy accepts 8 KiB, the server 16 KiB with all headers, and a sign-in encodes the link once more. */
const longestLink = 7000;

function parametersOf(values: JsonObject): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) parameters.set(name, textOf(value));
  return parameters;
}

/** As a form has it: one entry a line, `on` for a checked box, and nothing for null and for an empty box. */
function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name} = ${textOf(one ?? null)}`)
      .join('\n');
  if (typeof value === 'boolean') return value ? 'on' : '';
  return value === null ? '' : String(value);
}
