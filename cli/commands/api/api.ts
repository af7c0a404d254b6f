// `libretto api`: one request to the management API of a running registry, for what no command does.

import { Readable } from 'node:stream';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../build/contract/json.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printProblems } from '../../io/output.ts';
import { secretIn } from '../../io/secret-file.ts';
import { UsageError } from '../../io/usage-error.ts';
import { remoteOf, RemoteFailure, type Remote } from '../../remote/remote.ts';
import { requestRemote, type RemoteRequest } from '../../remote/request-remote.ts';
import { registryOfSignIn } from '../remembered-registry.ts';

/** `path`: of the list, perhaps with a query. Throws RegistryError with the registry's refusal, and RemoteFailure. */
async function listAll(remote: Remote, path: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  const seen = new Set<string>();
  for (let cursor: JsonValue | undefined = ''; typeof cursor === 'string';) {
    const { body }: { readonly body: JsonObject } = await requestRemote(remote, {
      method: 'GET',
      path: cursor === '' ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`,
    });
    if (!Array.isArray(body['data']))
      throw new RemoteFailure(`${remote.url} answered, but not like a Libretto registry. Check the address.`);
    for (const item of body['data'] as readonly JsonValue[]) if (isJsonObject(item)) found.push(item);
    cursor = body['next_cursor'];
    if (typeof cursor === 'string' && (seen.size === seen.add(cursor).size || seen.size > 10_000))
      throw new RemoteFailure(`The list of ${remote.url} has no end. Check the address.`);
  }
  return found;
}

/** More than the API takes, which refuses it. */
const mostBodyBytes = 2 * 1024 * 1024;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Prints the JSON of the answer, also of a refusal, whose exit code is 1. */
export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { stdout, stderr, workingDirectory } = context;
  const method = methodOf(operands[0]);
  const path = pathOf(operands[1]);
  const fields = fieldsOf(flags['field'] as readonly string[] | undefined);
  const remote = (await remoteOf(flags, context)) ?? (await registryOfSignIn(context, flags));
  if (remote === undefined)
    throw new UsageError(
      'Name the registry with --url or LIBRETTO_URL, or sign in: `libretto login https://packages.example.org`.',
    );
  const target = method === 'GET' ? withQuery(path, fields) : path;
  if (flags['all'] === true) {
    if (method !== 'GET') throw new UsageError('--all reads a list: use the method GET.');
    printJson(stdout, { data: await listAll(remote, target), next_cursor: null });
    return 0;
  }
  const text =
    flags['input'] === undefined ? undefined : secretIn(flags['input'], workingDirectory, 'body', mostBodyBytes);
  const { status, body } = await requestRemote(
    remote,
    { method, path: target, ...bodyOf(method, fields, text) },
    () => true,
  );
  printJson(stdout, body);
  if (status < 300) return 0;
  printProblems(stderr, [`libretto: ${String(body['error'] ?? `The registry answered ${status}.`)}`]);
  return 1;
}

function methodOf(text = ''): (typeof methods)[number] {
  const found = methods.find((one) => one === text.toUpperCase());
  if (found !== undefined) return found;
  throw new UsageError(`The method ${JSON.stringify(text)} is unknown; allowed: ${methods.join(', ')}.`);
}

/** The path is sent as it is written. */
function pathOf(text = ''): string {
  const [path = ''] = text.split('?', 1);
  if (/^\/api\/[^\s#]*$/.test(text) && new URL(path, 'http://localhost').pathname === path) return text;
  throw new UsageError(
    `The path ${JSON.stringify(text)} is no path of the API. Write one such as /api/packages?limit=10.`,
  );
}

/** `packages[]=acme/*` twice is a list of two. */
function fieldsOf(given: readonly string[] = []): JsonObject {
  const fields = new Map<string, JsonValue>();
  for (const one of given) {
    const [, name = '', list, text = ''] = /^([^=[\]]+)(\[\])?=(.*)$/s.exec(one) ?? [];
    if (name === '') throw new UsageError(`--field is ${JSON.stringify(one)}. Write NAME=VALUE, such as name=Shop.`);
    const before = fields.get(name);
    if (before !== undefined && (list === undefined || !Array.isArray(before)))
      throw new UsageError(`--field ${name} is given twice. For a list, write ${name}[]=VALUE for each entry.`);
    fields.set(
      name,
      list === undefined ? valueOf(text) : [...((before as JsonValue[] | undefined) ?? []), valueOf(text)],
    );
  }
  return Object.fromEntries(fields);
}

/** `true`, `false`, `null` and whole numbers are values of JSON; anything else is a text. */
function valueOf(text: string): JsonValue {
  return /^(?:true|false|null|-?(?:0|[1-9]\d{0,14}))$/.test(text) ? (JSON.parse(text) as JsonValue) : text;
}

function withQuery(path: string, fields: JsonObject): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => [`${name}[]`, String(one)]) : [[name, String(value)]],
  );
  if (pairs.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(pairs as [string, string][])}`;
}

function bodyOf(method: string, fields: JsonObject, text: string | undefined): Pick<RemoteRequest, 'headers' | 'body'> {
  if (text !== undefined && (method === 'GET' || Object.keys(fields).length > 0))
    throw new UsageError('--input is the whole body of a request. Leave out --field, and use another method than GET.');
  if (text === undefined && (method === 'GET' || Object.keys(fields).length === 0)) return {};
  const json = text ?? JSON.stringify(fields);
  return { headers: { 'content-type': 'application/json' }, body: Readable.from([json]) };
}
