// Hooks of Azure DevOps. It signs nothing: the secret is the password of the subscription, or a bearer token in its
// headers. Event and id are in the body alone. Its test sends the same example of a push each time.

import { authorizationProof, headerOf } from './proof.ts';
import { present, subjectAmong, textAt, type Provider } from './provider.ts';

/** The id of the example, in all of its deliveries. */
const testId = '03c164c2-8912-4d5e-8009-3707d5f83734';

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
  subjectOf: subjectAmong(['git.push'], 'test'),
  read: (payload) => {
    const addresses = present(['remoteUrl', 'sshUrl'].map((field) => textAt(payload, 'resource', 'repository', field)));
    const id = textAt(payload, 'id');
    // a second test is no repeated delivery: it has no id
    return id === testId ? { addresses, event: 'test' } : { addresses, event: textAt(payload, 'eventType'), id };
  },
};
