// Sends the requests of commands to a remote registry, and reads the responses.

import { RegistryError, errorTable, type ErrorCode } from '../../build/contract/errors.ts';
import { httpAddressFault } from '../../build/contract/address.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { shown } from '../config/setting-values.ts';
import { UsageError } from '../io/usage-error.ts';

/** The remote registry could not be reached, or is none. */
export class RemoteFailure extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'RemoteFailure';
  }
}

export interface Remote {
  /** the address without a slash at its end */
  readonly url: string;
  readonly token: string;
  /** receives each request with its outcome, for --verbose */
  readonly onRequest: (line: string) => void;
  readonly now: () => Date;
}

/** Undefined without --url. Throws UsageError for an invalid address, and for a missing token. */
export function remoteOf(
  flags: Readonly<Record<string, unknown>>,
  { environment, steps, now }: Context,
): Remote | undefined {
  const { url, token = environment['LIBRETTO_TOKEN'] } = flags as { readonly url?: string; readonly token?: string };
  if (url === undefined) return undefined;
  const address = registryUrl(url);
  if (token === undefined || token === '')
    throw new UsageError(
      'A remote registry requires a token: set LIBRETTO_TOKEN to one of its tokens (a write token to publish ' +
        'or sync), or use --token.',
    );
  return { url: address, token, now, onRequest: (line) => printLines(steps, [line]) };
}

/** The address of --url, without a slash at its end. Throws UsageError for an invalid address, host or port. */
export function registryUrl(given: string): string {
  const fault = httpAddressFault(given);
  if (fault !== undefined)
    throw new UsageError(
      `--url is ${shown(given)}, which ${fault}. Write an address such as https://packages.example.org.`,
    );
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  ) {
    throw new UsageError(
      `--url ${shown(given)} is not the address of a registry. Write one such as https://packages.example.org, ` +
        'and set the token in LIBRETTO_TOKEN.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

export interface Reply {
  readonly status: number;
  readonly body: JsonObject;
}

/** Throws RegistryError with the registry's refusal, RemoteFailure for a response of another server. */
export function readReply({ url }: Remote, status: number, text: string): Reply {
  const body = parse(text);
  if (body !== undefined && status < 300) return { status, body };
  const { code, error, details } = body ?? {};
  if (typeof code === 'string' && code in errorTable && typeof error === 'string')
    throw new RegistryError(code as ErrorCode, {
      message: `${error} [${code}]`,
      details: isJsonObject(details) ? details : {},
    });
  throw new RemoteFailure(`${url} answered ${status}, but not like a Libretto registry. Check the address.`);
}

function parse(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined; // a proxy before it answers in HTML
  }
}
