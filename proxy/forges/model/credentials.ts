// The credentials of a connection: a token, or a GitHub App. They are stored sealed, opened only in a process that asks
// the forge or clones from it, and never shown.

import { isJsonObject } from '../../../build/contract/json.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import type { Sealer } from '../../keys/sealer.ts';
import type { ConnectionId } from '../../sync/forge-place.ts';
import { parseJsonText } from './json-text.ts';

export type ConnectionCredentials =
  /** `user`: the e-mail address of the user, for an API token of Bitbucket */
  | { readonly kind: 'token'; readonly token: Secret; readonly user?: string | undefined }
  /** `appId`: the id or the client id of the App; `privateKey`: PEM */
  | { readonly kind: 'app'; readonly appId: string; readonly privateKey: Secret };

/** What is wrong with them, as the end of a sentence; undefined: they can be sent in a header. */
export function credentialsFault(credentials: ConnectionCredentials): string | undefined {
  if (credentials.kind === 'app')
    return /^[0-9A-Za-z._-]{1,100}$/.test(credentials.appId) ? undefined : 'the id of the App is not one of GitHub';
  if (!/^[\x21-\x7e]{1,5000}$/.test(credentials.token.reveal()))
    return 'a token is one line of visible ASCII characters';
  const { user } = credentials;
  return user === undefined || /^[^\p{Cc}:]{1,200}$/u.test(user) ? undefined : 'the user is no e-mail address or name';
}

export function sealConnectionCredentials(
  sealer: Sealer,
  credentials: ConnectionCredentials,
  id: ConnectionId,
): string {
  const plain =
    credentials.kind === 'token'
      ? { kind: 'token', token: credentials.token.reveal(), user: credentials.user }
      : { kind: 'app', app_id: credentials.appId, private_key: credentials.privateKey.reveal() };
  return sealer.seal(new Secret(JSON.stringify(plain)), id);
}

/** Throws if they cannot be opened: the key is another one, or a person changed the state. */
export function unsealConnectionCredentials(
  sealer: Sealer,
  { id, credentials }: { readonly id: ConnectionId; readonly credentials: string },
): ConnectionCredentials {
  const json = parseJsonText(sealer.unseal(credentials, id).reveal());
  if (isJsonObject(json)) {
    const { token, user, app_id: appId, private_key: key } = json;
    if (typeof token === 'string')
      return { kind: 'token', token: new Secret(token), ...(typeof user === 'string' ? { user } : {}) };
    if (typeof appId === 'string' && typeof key === 'string')
      return { kind: 'app', appId, privateKey: new Secret(key) };
  }
  throw new Error('the sealed credentials of a connection are malformed');
}
