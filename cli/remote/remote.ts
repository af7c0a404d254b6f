// Sends the requests of commands to a remote registry, and reads the responses.

import { RegistryError, errorTable, type ErrorCode } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { deepest, shapeOf } from '../../build/shared/json/json-scan.ts';
import type { Context } from '../io/context.ts';
import { oneLine, printLines } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';
import { adviceOnForeignAnswer, refusePlainHttp } from './plain-http.ts';
import { registryAddress } from './registry-address.ts';

/** The remote registry could not be reached, or is none. */
export class RemoteFailure extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'RemoteFailure';
  }
}

/** A registry that a command asks without a token. */
export interface RemoteRegistry {
  /** the address without a slash at its end */
  readonly url: string;
  /** receives each request with its outcome, for --verbose */
  readonly onRequest: (line: string) => void;
  readonly now: () => Date;
  /** true: the token is that of `libretto login` */
  readonly isSignedIn?: boolean;
}

export interface Remote extends RemoteRegistry {
  readonly token: string;
}

/**
 * The remote registry of this command line; undefined: the command works on a data folder. `--data` names a folder, and
 * overrides LIBRETTO_URL. Without a token in the flags and the environment, that of `libretto login` is used. Throws
 * UsageError for an invalid address, for an address without a token, for a token without an address, and for an empty
 * one of both: a forgotten or misspelt secret must not make a job publish into its own folder. Throws UsageError also
 * for http:// to another machine without `--insecure-http`.
 */
export async function remoteOf(flags: RemoteFlags, { environment, steps, now }: Context): Promise<Remote | undefined> {
  const isLocal = flags['url'] === undefined && flags['data'] !== undefined;
  if (!isLocal) refuseEmpty(flags, environment);
  const url = isLocal ? undefined : registryAddress(flags, environment);
  const named = (
    isLocal ? given(flags['token']) : (given(flags['token']) ?? given(environment['LIBRETTO_TOKEN']))
  )?.trim();
  const isSignedIn = url !== undefined && named === undefined;
  const token = isSignedIn ? await tokenOfSignIn(url, environment, now) : named;
  if (url !== undefined && token === undefined)
    throw new UsageError(
      `The registry ${url} requires a token: sign in with \`libretto login ${url}\`, or set LIBRETTO_TOKEN to one of ` +
        'its tokens (a write token to publish or sync), or use --token.',
    );
  if (url === undefined && token !== undefined)
    throw new UsageError(
      `${given(flags['token']) === undefined ? 'LIBRETTO_TOKEN is set' : '--token is given'}, but no registry is named. ` +
        'Nothing was sent or changed. Name the address with LIBRETTO_URL or --url, such as ' +
        'https://packages.example.org. For a data folder on this machine, use --data and no --token.',
    );
  if (url === undefined || token === undefined) return undefined;
  refuseForeignToken(token);
  refusePlainHttp(url, flags['insecureHttp'] === true);
  return { url, token, now, onRequest: (line) => printLines(steps, [line]), ...(isSignedIn && { isSignedIn }) };
}

/** Loaded when needed: most commands work on a data folder. */
async function tokenOfSignIn(url: string, environment: Context['environment'], now: Context['now']) {
  const { storedToken } = await import('../login/stored-token.ts');
  return storedToken(url, environment, now().getTime());
}

/** CI systems set a variable to an empty text if its secret is missing, or if the secret's name is misspelt. */
function refuseEmpty(flags: RemoteFlags, environment: Context['environment']): void {
  const empty = [
    flags['url'] === undefined && environment['LIBRETTO_URL'] === '' ? 'LIBRETTO_URL' : undefined,
    flags['token'] === '' ? '--token' : undefined,
    flags['token'] === undefined && environment['LIBRETTO_TOKEN'] === '' ? 'LIBRETTO_TOKEN' : undefined,
  ].filter((name) => name !== undefined);
  if (empty.length === 0) return;
  throw new UsageError(
    `${empty.join(' and ')} ${empty.length === 1 ? 'is' : 'are'} empty. Nothing was sent or changed. Give ` +
      'LIBRETTO_URL the address of the registry, and LIBRETTO_TOKEN a token: a CI system leaves a variable empty if the ' +
      "name of its secret is misspelt. For a data folder on this machine, use --data with the folder's path.",
  );
}

/** Throws UsageError for a text that people mistake for the token. It is never shown, because it may be a secret. */
function refuseForeignToken(token: string): void {
  if (token.startsWith('tok_'))
    throw new UsageError(
      'The token is an id (tok_…), not the secret that opens the registry. The secret begins with lib_r_ or lib_w_, ' +
        'and was shown once. On the host of the registry, `token rotate ID` makes a new one.',
    );
  if (/\s/.test(token))
    throw new UsageError(
      'The token has spaces or lines in it. Give the secret alone, as `token create` printed it, without ' +
        'a word such as Bearer before it.',
    );
}

/**
 * Throws RegistryError for a token that can only read, before anything is packed or sent. A token of `libretto login`
 * has the role of its person, which the registry knows.
 */
export function refuseReadToken({ token, url, isSignedIn }: Remote): void {
  if (!token.startsWith('lib_r_') || isSignedIn === true) return;
  throw new RegistryError('INSUFFICIENT_SCOPE', {
    message:
      `A token that begins with lib_r_ can only read, not publish. Create a write token on the host of ${url}: ` +
      '`libretto token create --kind write --description "CI"`. [INSUFFICIENT_SCOPE]',
  });
}

type RemoteFlags = Readonly<Record<string, unknown>>;

function given(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export interface RemoteResponse {
  readonly status: number;
  readonly body: JsonObject;
}

/** Throws RegistryError with the registry's refusal, RemoteFailure for a response of another server. */
export function readRemoteResponse(
  { url, isSignedIn = false }: RemoteRegistry,
  status: number,
  text: string,
): RemoteResponse {
  const body = parseBody(text);
  if (body !== undefined && status < 300) return { status, body };
  const { code, error, details } = body ?? {};
  if (typeof code === 'string' && Object.hasOwn(errorTable, code) && typeof error === 'string')
    throw new RegistryError(code as ErrorCode, {
      message: `${isSignedIn ? ofSignIn(url, code, oneLine(error)) : oneLine(error)} [${code}]${adviceOnPath(url, code, error)}${listIssues(error, details)}`,
      details: isJsonObject(details) ? details : {},
    });
  throw new RemoteFailure(
    `${url} answered ${status}, but not like a Libretto registry. ${adviceOnForeignAnswer(url, status)}`,
  );
}

/** People take the address of an upload, which has a path, for that of the registry. */
function adviceOnPath(url: string, code: string, error: string): string {
  if (code !== 'NOT_FOUND') return '';
  const { pathname, origin } = new URL(url);
  const [path] = /\/(?:api|ui|p2|dist)(?:\/.*)?$/.exec(pathname) ?? [];
  if (path !== undefined) return ` Leave out ${path} at the end of ${url}.`;
  const hasNoRoute = error === errorTable.NOT_FOUND.message;
  if (pathname === '/')
    return hasNoRoute ? ' Or the registry has no API: `features` in its libretto.json lacks it.' : '';
  return ` If the registry is not below ${pathname}, its address is ${origin}.`;
}

/** The refusal of a token of `libretto login`, which its person renews without anybody else. */
function ofSignIn(url: string, code: string, error: string): string {
  return code === 'INVALID_TOKEN' ? `Your sign-in has ended: run \`libretto login ${url}\`.` : error;
}

/** The invalid fields of a request, each on a line, without those that the message names already. */
function listIssues(message: string, details: unknown): string {
  const issues = isJsonObject(details) && Array.isArray(details['issues']) ? details['issues'] : [];
  return issues
    .filter(isJsonObject)
    .map((issue) => ({ path: String(issue['path'] ?? ''), reason: String(issue['message'] ?? '') }))
    .filter(({ reason }) => reason !== '' && !message.includes(reason))
    .map(({ path, reason }) => `\n  ${oneLine(path === '' ? reason : `${path}: ${reason}`)}`)
    .join('');
}

/** The body of an answer; undefined: a proxy before the registry answers in HTML, or it is nested without end. */
export function parseBody(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) && shapeOf(Buffer.from(text)).depth <= 2 * deepest ? json : undefined;
  } catch {
    return undefined; // the caller says that this is no registry
  }
}
