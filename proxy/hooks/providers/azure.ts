// Hooks of Azure DevOps. It signs nothing: the secret is the password of the subscription, or a bearer token in its
// headers. Event and id are in the body alone.

import { authorizationProof, headerOf } from './proof.ts';
import { present, subjectAmong, textAt, type Provider } from './provider.ts';

export const azure: Provider = {
  name: 'azure',
  title: 'Azure DevOps',
  isSender: (headers) =>
    headerOf(headers, 'webhook-signature') === undefined &&
    (/^basic /i.test(headerOf(headers, 'authorization') ?? '') ||
      /^VSServices\//i.test(headerOf(headers, 'user-agent') ?? '')),
  proofOf: authorizationProof,
  proofPlace: 'Authorization',
  idOf: () => undefined,
  eventOf: () => undefined,
  subjectOf: subjectAmong(['git.push']),
  read: (payload) => ({
    addresses: present(['remoteUrl', 'sshUrl'].map((field) => textAt(payload, 'resource', 'repository', field))),
    event: textAt(payload, 'eventType'),
    id: textAt(payload, 'id'),
  }),
};
