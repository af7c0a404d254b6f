// Hooks of any other program, such as a job of CI: signed as Standard Webhooks says, or with the secret as a bearer
// token. Its payload may name the repository as GitHub does, or as one address.

import { authorizationProof, headerOf, messageProof } from './proof.ts';
import { azure } from './azure.ts';
import { present, repositoryAddresses, textAt, type Provider } from './provider.ts';

export const generic: Provider = {
  name: 'generic',
  title: 'this program',
  isSender: () => true,
  proofOf: (headers) => messageProof(headers) ?? authorizationProof(headers),
  proofPlace: 'webhook-signature or Authorization',
  idOf: (headers) => headerOf(headers, 'webhook-id') ?? headerOf(headers, 'idempotency-key'),
  eventOf: () => 'hook',
  subjectOf: () => 'code',
  read: (payload) => ({
    addresses: [
      ...present([textAt(payload, 'repository'), textAt(payload, 'data', 'repository')]),
      ...repositoryAddresses(payload),
      // a hook of Azure DevOps with a bearer token, whose user agent a proxy changed
      ...azure.read(payload).addresses,
    ],
  }),
};
