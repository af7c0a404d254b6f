// Hooks of Bitbucket Cloud. Its payload has no clone address, so that one is made from the full name.

import { bodyProof, headerOf } from './proof.ts';
import { present, subjectAmong, textAt, type Provider } from './provider.ts';

export const bitbucket: Provider = {
  name: 'bitbucket',
  title: 'Bitbucket Cloud',
  isSender: (headers) =>
    headerOf(headers, 'x-event-key') !== undefined && headerOf(headers, 'x-hook-uuid') !== undefined,
  proofOf: (headers) => bodyProof(headers, ['x-hub-signature']),
  proofPlace: 'X-Hub-Signature',
  idOf: (headers) => headerOf(headers, 'x-request-uuid'),
  eventOf: (headers) => headerOf(headers, 'x-event-key') ?? '',
  subjectOf: subjectAmong(['repo:push']),
  read: (payload) => {
    const name = textAt(payload, 'repository', 'full_name') ?? '';
    const made = /^[\w.-]+\/[\w.-]+$/.test(name) ? `https://bitbucket.org/${name}.git` : undefined;
    return { addresses: present([made, textAt(payload, 'repository', 'links', 'html', 'href')]) };
  },
};
