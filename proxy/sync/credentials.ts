// What a registered repository is read with: kept sealed, opened only in the process that reads it, shown to nobody.

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject } from '../../build/contract/json.ts';
import { Secret } from '../auth/secret.ts';
import type { Sealer } from '../keys/sealer.ts';

export type RepositoryCredentials =
  /** of https; most hosts take an access token as the password, and any name beside it */
  | { readonly username?: string | undefined; readonly password: string }
  /** of https, as a bearer token */
  | { readonly token: string }
  /** of ssh: a private key without a passphrase, as ssh-keygen writes it */
  | { readonly private_key: string };

export type CredentialsKind = 'basic' | 'bearer' | 'ssh_key';

export function credentialsKind(credentials: RepositoryCredentials): CredentialsKind {
  if ('token' in credentials) return 'bearer';
  return 'private_key' in credentials ? 'ssh_key' : 'basic';
}

/** Throws INVALID_INPUT for what the repository's address cannot use, and for what could end a header or a line. */
export function assertUsable(credentials: RepositoryCredentials, url: string): void {
  const overSsh = !/^https?:\/\//i.test(url);
  if ('private_key' in credentials) {
    if (!overSsh) throw refusal('private_key', 'a key is for ssh; this address takes `token`, or `username` and `password`');
    if (!/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\x20-\x7e\n]+-----END [A-Z ]*PRIVATE KEY-----\n?$/.test(normalizeKey(credentials.private_key))) throw refusal('private_key', 'is not a private key as ssh-keygen writes it');
    return;
  }
  if (overSsh) throw refusal('', 'an ssh address takes a `private_key`');
  const texts = 'token' in credentials ? { token: credentials.token } : { username: credentials.username ?? '', password: credentials.password };
  for (const [field, text] of Object.entries(texts)) if (/\p{Cc}/u.test(text)) throw refusal(field, 'holds a control character');
  if ('username' in credentials && credentials.username?.includes(':') === true) throw refusal('username', 'holds a colon, which ends a name');
}

function refusal(field: string, message: string): RegistryError {
  return new RegistryError('INVALID_INPUT', { details: { issues: [{ path: field === '' ? 'credentials' : `credentials.${field}`, message }] } });
}

/** Line ends as ssh wants them, whatever a form made of them. */
export function normalizeKey(key: string): string {
  return `${key.replaceAll('\r\n', '\n').trim()}\n`;
}

export function sealCredentials(sealer: Sealer, credentials: RepositoryCredentials, repository: string): string {
  return sealer.seal(new Secret(JSON.stringify(credentials)), repository);
}

/** Throws where they cannot be opened: another key, or a state that somebody changed. */
export function unsealCredentials(sealer: Sealer, sealed: string, repository: string): RepositoryCredentials {
  const json: unknown = JSON.parse(sealer.unseal(sealed, repository).reveal());
  if (!isJsonObject(json)) throw new Error('sealed credentials are malformed');
  const { username, password, token, private_key: key } = json;
  if (typeof token === 'string') return { token };
  if (typeof key === 'string') return { private_key: key };
  if (typeof password !== 'string') throw new Error('sealed credentials are malformed');
  return { password, ...(typeof username === 'string' ? { username } : {}) };
}
