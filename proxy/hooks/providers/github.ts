// Hooks of GitHub and GitHub Enterprise: of a repository, an organisation or an app. The old SHA-1 signature in
// `X-Hub-Signature` is not read.

import { bodyProof, headerOf } from './proof.ts';
import { repositoryAddresses, subjectAmong, type Provider } from './provider.ts';

export const github: Provider = {
  name: 'github',
  title: 'GitHub',
  isSender: (headers) => headerOf(headers, 'x-github-event') !== undefined,
  proofOf: (headers) => bodyProof(headers, ['x-hub-signature-256']),
  proofPlace: 'X-Hub-Signature-256',
  idOf: (headers) => headerOf(headers, 'x-github-delivery'),
  eventOf: (headers) => headerOf(headers, 'x-github-event') ?? '',
  subjectOf: subjectAmong(['push', 'create', 'delete', 'release'], 'ping'),
  read: (payload) => ({ addresses: repositoryAddresses(payload) }),
};
