// Hooks of Gitea and Forgejo. They also send the headers of GitHub, so that this provider is asked first. Each has a
// signature of its own beside GitHub's; all that are sent must be right. Of a form, they sign the payload in it.

import { bodyProof, headerOf, isForm } from './proof.ts';
import { repositoryAddresses, subjectAmong, type Provider } from './provider.ts';

export const gitea: Provider = {
  name: 'gitea',
  title: 'Gitea or Forgejo',
  isSender: (headers) => (headerOf(headers, 'x-gitea-event') ?? headerOf(headers, 'x-forgejo-event')) !== undefined,
  proofOf: (headers) => {
    const proof = bodyProof(headers, ['x-hub-signature-256', 'x-gitea-signature', 'x-forgejo-signature']);
    return proof?.by === 'body' && isForm(headers) ? { ...proof, isOfPayload: true } : proof;
  },
  proofPlace: 'X-Hub-Signature-256',
  idOf: (headers) => headerOf(headers, 'x-gitea-delivery') ?? headerOf(headers, 'x-forgejo-delivery'),
  eventOf: (headers) => headerOf(headers, 'x-gitea-event') ?? headerOf(headers, 'x-forgejo-event') ?? '',
  subjectOf: subjectAmong(['push', 'create', 'delete', 'release'], 'ping'),
  read: (payload) => ({ addresses: repositoryAddresses(payload) }),
};
