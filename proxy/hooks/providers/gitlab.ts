// Hooks of GitLab: of a project, a group or the system. Its signing token makes the headers of Standard Webhooks; its
// older secret token sends the secret itself. Where a request has both, the signature alone decides.
// The token opens nothing more: whoever knows the secret could sign as well.

import { headerOf, messageProof, secretProof } from './proof.ts';
import { present, subjectAmong, textAt, type Provider } from './provider.ts';

/** Names in the header of project and group hooks, then names in the body of system hooks. */
const code = ['Push Hook', 'Tag Push Hook', 'Release Hook', 'push', 'tag_push', 'repository_update'];

const systemHook = 'System Hook';

export const gitlab: Provider = {
  name: 'gitlab',
  title: 'GitLab',
  isSender: (headers) => headerOf(headers, 'x-gitlab-event') !== undefined,
  proofOf: (headers) => messageProof(headers) ?? secretProof(headers, 'x-gitlab-token'),
  proofPlace: 'webhook-signature or X-Gitlab-Token',
  idOf: (headers) =>
    headerOf(headers, 'webhook-id') ??
    headerOf(headers, 'idempotency-key') ??
    headerOf(headers, 'x-gitlab-webhook-uuid'),
  eventOf: (headers) => {
    const event = headerOf(headers, 'x-gitlab-event');
    return event === systemHook ? undefined : event;
  },
  subjectOf: subjectAmong(code),
  read: (payload) => ({
    addresses: present(['git_http_url', 'git_ssh_url', 'web_url'].map((field) => textAt(payload, 'project', field))),
    event: textAt(payload, 'event_name') ?? textAt(payload, 'object_kind'),
  }),
};
