// The credential of a registered repository: stored sealed, opened only in the process that reads the repository, never
// shown.

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject } from '../../build/contract/json.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import type { Sealer } from '../keys/sealer.ts';
import type { CredentialsKind, RepositorySource, RepositoryType } from './repository.ts';

export type RepositoryCredentials =
  /** for https; most hosts take an access token as the password, with any user name */
  | { readonly username?: string | undefined; readonly password: string }
  /** for https, as a bearer token */
  | { readonly token: string }
  /**
   * for https, in a header of this name: for Composer repositories that require it, for example GitLab's PRIVATE-TOKEN
   */
  | { readonly header: string; readonly token: string }
  /** for ssh: a private key without a passphrase, as ssh-keygen writes it */
  | { readonly private_key: string };

export function credentialsKind(credentials: RepositoryCredentials): CredentialsKind {
  if ('header' in credentials) return 'header';
  if ('token' in credentials) return 'bearer';
  return 'private_key' in credentials ? 'ssh_key' : 'basic';
}

/**
 * Throws INVALID_INPUT for credentials that the repository's address cannot use, and for characters that could end a
 * header or a line.
 */
export function assertUsable(
  credentials: RepositoryCredentials,
  { type, url }: Pick<RepositorySource, 'type' | 'url'>,
): void {
  const overSsh = !/^https?:\/\//i.test(url);
  if ('private_key' in credentials) {
    if (!overSsh)
      throw refusal('private_key', 'is for ssh; this address takes a token, or a password with a user name');
    if (
      !/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\x20-\x7e\n]+-----END [A-Z ]*PRIVATE KEY-----\n?$/.test(
        normalizeKey(credentials.private_key),
      )
    )
      throw refusal('private_key', 'is not a private key as ssh-keygen writes it');
    return;
  }
  if ('header' in credentials) assertHeader(credentials.header, type);
  if (overSsh) throw refusal('', 'an ssh address takes a private key');
  const texts =
    'token' in credentials
      ? { token: credentials.token }
      : { username: credentials.username ?? '', password: credentials.password };
  for (const [field, text] of Object.entries(texts))
    if (/\p{Cc}/u.test(text)) throw refusal(field, 'holds a control character');
  if ('username' in credentials && credentials.username?.includes(':') === true)
    throw refusal('username', 'contains a colon, which ends a name');
}

/** Header names with another meaning in a request, or for its connection, must not carry a credential. */
const takenHeaders =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|proxy-.*|accept(?:-.*)?|user-agent|if-.*|expect|range|cookie2?)$/i;

function assertHeader(header: string, type: RepositoryType): void {
  if (type !== 'composer')
    throw refusal(
      'header',
      'is for repositories of type composer; git takes a token alone, or a password with a user name',
    );
  if (!/^[A-Za-z0-9-]{1,100}$/.test(header) || takenHeaders.test(header))
    throw refusal('header', 'is not the name of a header for credentials, such as PRIVATE-TOKEN');
}

function refusal(field: string, message: string): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    details: { issues: [{ path: field === '' ? 'credentials' : `credentials.${field}`, message }] },
  });
}

/** Restores the line ends that ssh requires, after changes by a web form. */
export function normalizeKey(key: string): string {
  return `${key.replaceAll('\r\n', '\n').trim()}\n`;
}

export function sealCredentials(sealer: Sealer, credentials: RepositoryCredentials, repository: string): string {
  return sealer.seal(new Secret(JSON.stringify(credentials)), repository);
}

/** Throws if they cannot be opened: the key is another one, or a person changed the state. */
export function unsealCredentials(sealer: Sealer, sealed: string, repository: string): RepositoryCredentials {
  const json: unknown = JSON.parse(sealer.unseal(sealed, repository).reveal());
  if (!isJsonObject(json)) throw new Error('sealed credentials are malformed');
  const { username, password, token, header, private_key: key } = json;
  if (typeof token === 'string' && typeof header === 'string') return { header, token };
  if (typeof token === 'string') return { token };
  if (typeof key === 'string') return { private_key: key };
  if (typeof password !== 'string') throw new Error('sealed credentials are malformed');
  return { password, ...(typeof username === 'string' ? { username } : {}) };
}
