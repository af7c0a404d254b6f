// Hooks of GitHub and GitHub Enterprise: of a repository, an organisation or an app. The old SHA-1 signature in
// `X-Hub-Signature` is not read.

import type { JsonObject } from '../../../build/contract/json.ts';
import { bodyProof, headerOf } from './proof.ts';
import { repositoryAddresses, subjectAmong, textAt, type Provider } from './provider.ts';

export const github: Provider = {
  name: 'github',
  title: 'GitHub',
  isSender: (headers) => headerOf(headers, 'x-github-event') !== undefined,
  proofOf: (headers) => bodyProof(headers, ['x-hub-signature-256']),
  proofPlace: 'X-Hub-Signature-256',
  idOf: (headers) => headerOf(headers, 'x-github-delivery'),
  eventOf: (headers) => headerOf(headers, 'x-github-event') ?? '',
  subjectOf: subjectAmong(['push', 'create', 'delete', 'release'], 'ping'),
  read: (payload) => ({ addresses: repositoryAddresses(payload), owner: ownerAddress(payload) }),
};

/** Of an organisation's own events. */
function ownerAddress(payload: JsonObject): string | undefined {
  const login = textAt(payload, 'organization', 'login');
  const forge =
    /^https?:\/\/[^/]+(?=\/)/.exec(textAt(payload, 'sender', 'html_url') ?? '')?.[0] ??
    forgeOf(textAt(payload, 'organization', 'url') ?? '');
  return login === undefined || forge === undefined ? undefined : `${forge}/${login}`;
}

/** `https://api.github.com/orgs/acme` and `https://ghe.example.org/api/v3/orgs/acme` → where people see the forge. */
function forgeOf(api: string): string | undefined {
  const [, scheme, cloud, server] = /^(https?:\/\/)(?:api\.([^/]+)|([^/]+)\/api\/v3)\/orgs\//.exec(api) ?? [];
  return scheme === undefined ? undefined : `${scheme}${cloud ?? server ?? ''}`;
}
