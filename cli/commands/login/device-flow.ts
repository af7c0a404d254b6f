// The device flow of a terminal (RFC 8628): it asks the registry for a code, shows it, and asks for the token until the
// person has decided.

import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import { requestRemote } from '../../remote/request-remote.ts';
import { RemoteFailure, type RemoteRegistry, type RemoteResponse } from '../../remote/remote.ts';

export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  /** the page where the person types the code */
  readonly page: string;
  /** the same page with the code in it */
  readonly pageWithCode: string;
  readonly expiresIn: number;
  /** seconds */
  readonly interval: number;
}

export interface DeviceToken {
  readonly token: string;
  readonly id: string;
  readonly expiresAt: string;
  readonly email: string;
  readonly role: string;
  /** what the token can do, in words; undefined: an earlier registry does not say it */
  readonly rights: string | undefined;
}

const client = 'libretto-cli';
const grant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Throws RegistryError and RemoteFailure. */
export async function requestCode(
  registry: RemoteRegistry,
  { machine, days }: { readonly machine: string; readonly days: number },
): Promise<DeviceCode> {
  const { body } = await post(registry, '/api/oauth/device_authorization', {
    client_id: client,
    machine,
    days: String(days),
  });
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = body;
  const [page, pageWithCode] = [verification_uri, verification_uri_complete].map(addressOf);
  if (typeof device_code !== 'string' || typeof user_code !== 'string' || page === undefined)
    throw refusalOf(registry, body);
  return {
    deviceCode: device_code,
    userCode: user_code,
    page,
    pageWithCode: pageWithCode ?? page,
    expiresIn: typeof expires_in === 'number' ? expires_in : 600,
    interval: typeof interval === 'number' && interval > 0 ? interval : 5,
  };
}

/** Waits for the decision. Rejects with the reason of `signal` once it is aborted. */
export async function waitForToken(
  registry: RemoteRegistry,
  { deviceCode, interval: first, expiresIn }: DeviceCode,
  signal: AbortSignal,
): Promise<DeviceToken> {
  const endsMs = registry.now().getTime() + expiresIn * 1000;
  let interval = first;
  for (;;) {
    await delay(interval * 1000, undefined, { signal });
    const body = await asked(registry, deviceCode, endsMs);
    if (body === undefined || body['error'] === 'authorization_pending') continue;
    if (body['error'] === 'slow_down') interval += 5;
    else if (typeof body['access_token'] === 'string') return given(body);
    else throw refusalOf(registry, body);
  }
}

/** undefined: the registry could not be reached, and the code is still valid. */
async function asked(registry: RemoteRegistry, deviceCode: string, endsMs: number): Promise<JsonObject | undefined> {
  try {
    const fields = { grant_type: grant, device_code: deviceCode, client_id: client };
    return (await post(registry, '/api/oauth/token', fields)).body;
  } catch (error) {
    if (!(error instanceof RemoteFailure) || registry.now().getTime() >= endsMs) throw error;
    registry.onRequest(`${error.message} The terminal asks again.`);
    return undefined;
  }
}

function given(body: JsonObject): DeviceToken {
  const { access_token: token, token_id: id, expires_at: expiresAt, email, role, rights } = body;
  return {
    token: String(token),
    id: String(id),
    expiresAt: String(expiresAt),
    email: String(email),
    role: String(role),
    rights: typeof rights === 'string' ? rights : undefined,
  };
}

/** Refusals of OAuth are answers here. */
function post(
  registry: RemoteRegistry,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<RemoteResponse> {
  const text = new URLSearchParams(fields).toString();
  return requestRemote(
    registry,
    {
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(text)),
      },
      body: Readable.from([text]),
    },
    (body) => typeof body['error_description'] === 'string',
  );
}

function refusalOf({ url }: RemoteRegistry, body: JsonObject): Error {
  const { error, error_description: reason } = isJsonObject(body) ? body : {};
  if (typeof reason !== 'string') return new RemoteFailure(`${url} gave no code in its answer. Check the address.`);
  return new RegistryError(error === 'access_denied' ? 'INSUFFICIENT_SCOPE' : 'BAD_REQUEST', { message: reason });
}

/** A browser opens it, so it is an address of the web or nothing. */
function addressOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\/[^\s]+$/.test(value) ? value : undefined;
}
