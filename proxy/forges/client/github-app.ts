// The credentials of a GitHub App: a signed assertion of the App (JWT, RS256, ten minutes at most) buys a token of its
// installation at the owner. The token lasts an hour, is shared by all processes, and is renewed before it ends.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { Secret } from '../../../build/shared/text/secret.ts';
import { githubHeaders } from '../dialects/github.ts';
import { objectOf, textOf } from '../dialects/fields.ts';
import type { OwnerName } from '../model/forge-name.ts';
import { parseJsonText } from '../model/json-text.ts';
import { ForgeRefusal } from './forge-failure.ts';
import type { ForgeHttp } from './forge-http.ts';

export interface InstallationToken {
  readonly token: Secret;
  /** epoch milliseconds */
  readonly expiresMs: number;
}

export interface GitHubApp {
  /** the App's id, or its client id */
  readonly appId: string;
  /** PEM, as GitHub delivers it */
  readonly privateKey: Secret;
}

export interface InstallationOptions {
  readonly app: GitHubApp;
  readonly api: string;
  readonly owner: OwnerName;
  readonly http: ForgeHttp;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** A token is renewed this long before its end: longer than any single request or fetch should take to begin. */
export const renewBeforeMs = 10 * 60_000;

/** Throws ForgePause, and ForgeRefusal if the App is not installed at the owner or its key is wrong. */
export async function requestInstallationToken(options: InstallationOptions): Promise<InstallationToken> {
  const assertion = await signAssertion(options);
  const headers = { ...githubHeaders, authorization: `Bearer ${assertion}` };
  const id = await findInstallation(options, headers);
  const { api, http } = options;
  const url = `${api}/app/installations/${id}/access_tokens`;
  const answer = await http.ask({ url, headers, content: { method: 'POST', json: {} } });
  const body = answer.status === 201 ? objectOf(parseJsonText(answer.text)) : undefined;
  const [token, expires] = [textOf(body?.['token']), Date.parse(textOf(body?.['expires_at']) ?? '')];
  if (token === undefined || Number.isNaN(expires)) throw refused(options, answer.status);
  return { token: new Secret(token), expiresMs: expires };
}

/** An organisation and a user have their installation at different paths. */
async function findInstallation(
  options: InstallationOptions,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { api, owner, http } = options;
  let status = 404;
  for (const path of [`/orgs/${owner}/installation`, `/users/${owner}/installation`]) {
    const answer = await http.ask({ url: `${api}${path}`, headers });
    const id = answer.status === 200 ? objectOf(parseJsonText(answer.text))?.['id'] : undefined;
    if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
    status = answer.status;
    if (status !== 404) break;
  }
  throw refused(options, status);
}

/** Issued a minute ago, for a clock of the forge that is behind. */
async function signAssertion({ app: { appId, privateKey }, now }: InstallationOptions): Promise<string> {
  const seconds = Math.floor(now() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(appId)
    .setIssuedAt(seconds - 60)
    .setExpirationTime(seconds + 540)
    .sign(parseAppKey(privateKey));
}

/** Throws ForgeRefusal for a text that is no RSA key. */
export function parseAppKey(privateKey: Secret): KeyObject {
  const key = keyIn(privateKey);
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new ForgeRefusal('The key is not the private key of a GitHub App. Give the .pem file that GitHub made.');
}

function keyIn(privateKey: Secret): KeyObject | undefined {
  try {
    return createPrivateKey(privateKey.reveal());
  } catch {
    return undefined; // the parser's message may quote the key
  }
}

function refused({ owner, app }: InstallationOptions, status: number): ForgeRefusal {
  const why =
    status === 401
      ? `GitHub did not accept the App ${app.appId}. Check its id, its key, and the clock of this machine.`
      : status === 404
        ? `The App ${app.appId} is not installed at ${owner}. Install it there first.`
        : `GitHub gave the App ${app.appId} no token for ${owner} (status ${status}).`;
  return new ForgeRefusal(why, { status });
}
