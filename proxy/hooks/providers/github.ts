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

/** The payload has the addresses of the organisation in the API alone; that of the sender is in a browser. */
function ownerAddress(payload: JsonObject): string | undefined {
  const [login, sender] = [textAt(payload, 'organization', 'login'), textAt(payload, 'sender', 'html_url')];
  const [, forge] = /^(https?:\/\/[^/]+)\//.exec(sender ?? '') ?? [];
  return login === undefined || forge === undefined ? undefined : `${forge}/${login}`;
}
