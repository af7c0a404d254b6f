// Hooks of Bitbucket Cloud. Its payload has no clone address, so that one is made from the full name.

import { bodyProof, headerOf } from './proof.ts';
import { present, subjectAmong, textAt, type Provider } from './provider.ts';

/** Data Center calls this event `repo:refs_changed`. */
const push = 'repo:push';

export const bitbucket: Provider = {
  name: 'bitbucket',
  title: 'Bitbucket Cloud',
  // a relay may drop some of these headers
  isSender: (headers) =>
    headerOf(headers, 'x-event-key') !== undefined &&
    (headerOf(headers, 'x-hook-uuid') !== undefined ||
      headerOf(headers, 'x-request-uuid') !== undefined ||
      headerOf(headers, 'x-event-key') === push),
  proofOf: (headers) => bodyProof(headers, ['x-hub-signature']),
  proofPlace: 'X-Hub-Signature',
  idOf: (headers) => headerOf(headers, 'x-request-uuid'),
  eventOf: (headers) => headerOf(headers, 'x-event-key') ?? '',
  subjectOf: subjectAmong([push]),
  read: (payload) => {
    const name = textAt(payload, 'repository', 'full_name') ?? '';
    const made = /^[\w.-]+\/[\w.-]+$/.test(name) ? `https://bitbucket.org/${name}.git` : undefined;
    return { addresses: present([made, textAt(payload, 'repository', 'links', 'html', 'href')]) };
  },
};
