// The senders of webhooks: how each is recognized by its headers, proves that it knows the secret, and names the
// repository. A request of nobody else is `generic`.

import type { IncomingHttpHeaders } from 'node:http';
import { type Provider, present, subjectAmong, textAt, valueAt, repositoryAddresses } from './provider.ts';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import { authorizationProof, bodyProof, headerOf, messageProof, isForm, secretProof } from './proof.ts';

// Hooks of Azure DevOps. It signs nothing: the secret is the password of the subscription, or a bearer token in its
// headers. Event and id are in the body alone. Its test sends the same example of a push each time.

/** The id of the example, in all of its deliveries. */
const testId = '03c164c2-8912-4d5e-8009-3707d5f83734';

const azure: Provider = {
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

// Hooks of GitLab: of a project, a group or the system. Its signing token makes the headers of Standard Webhooks; its
// older secret token sends the secret itself. Where a request has both, the signature alone decides.
// The token opens nothing more: whoever knows the secret could sign as well.

/** Names in the header of project and group hooks, then names in the body of system hooks. */
const gitlabCodeEvents = ['Push Hook', 'Tag Push Hook', 'Release Hook', 'push', 'tag_push', 'repository_update'];

const systemHook = 'System Hook';

const gitlab: Provider = {
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
  subjectOf: subjectAmong(gitlabCodeEvents),
  read: (payload) => ({
    addresses: present(['git_http_url', 'git_ssh_url', 'web_url'].map((field) => textAt(payload, 'project', field))),
    event: textAt(payload, 'event_name') ?? textAt(payload, 'object_kind'),
  }),
};

// Hooks of GitHub and GitHub Enterprise: of a repository, an organisation or an app. The old SHA-1 signature in
// `X-Hub-Signature` is not read.

const github: Provider = {
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

// Hooks of Gitea and Forgejo. They also send the headers of GitHub, so that this provider is asked first. Each has a
// signature of its own beside GitHub's; all that are sent must be right. Of a form, they sign the payload in it.

const gitea: Provider = {
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

// Hooks of any other program, such as a job of CI: signed as Standard Webhooks says, or with the secret as a bearer
// token. Its payload may name the repository as GitHub does, or as one address.

const generic: Provider = {
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

// Hooks of Bitbucket Cloud. Its payload has no clone address, so that one is made from the full name.

/** Data Center calls this event `repo:refs_changed`. */
const bitbucketPush = 'repo:push';

const bitbucket: Provider = {
  name: 'bitbucket',
  title: 'Bitbucket Cloud',
  // a relay may drop some of these headers
  isSender: (headers) =>
    headerOf(headers, 'x-event-key') !== undefined &&
    (headerOf(headers, 'x-hook-uuid') !== undefined ||
      headerOf(headers, 'x-request-uuid') !== undefined ||
      headerOf(headers, 'x-event-key') === bitbucketPush),
  proofOf: (headers) => bodyProof(headers, ['x-hub-signature']),
  proofPlace: 'X-Hub-Signature',
  idOf: (headers) => headerOf(headers, 'x-request-uuid'),
  eventOf: (headers) => headerOf(headers, 'x-event-key') ?? '',
  subjectOf: subjectAmong([bitbucketPush]),
  read: (payload) => {
    const name = textAt(payload, 'repository', 'full_name') ?? '';
    const made = /^[\w.-]+\/[\w.-]+$/.test(name) ? `https://bitbucket.org/${name}.git` : undefined;
    return { addresses: present([made, textAt(payload, 'repository', 'links', 'html', 'href')]) };
  },
};

// Hooks of Bitbucket Data Center and Server. A hook may have a name and a password beside its secret, or instead of it.
// Older versions send no clone addresses: the address is then made from the links of the repository or its project.

const bitbucketServer: Provider = {
  name: 'bitbucket-server',
  title: 'Bitbucket Data Center',
  isSender: (headers) => headerOf(headers, 'x-event-key') !== undefined,
  proofOf: (headers) => bodyProof(headers, ['x-hub-signature']) ?? authorizationProof(headers),
  proofPlace: 'X-Hub-Signature',
  idOf: (headers) => headerOf(headers, 'x-request-id'),
  eventOf: (headers) => headerOf(headers, 'x-event-key') ?? '',
  subjectOf: subjectAmong(['repo:refs_changed', 'mirror:repo_synchronized'], 'diagnostics:ping'),
  read: (payload) => {
    const given = hrefsAt(payload, 'repository', 'links', 'clone');
    return { addresses: given.length > 0 ? given : madeAddresses(payload) };
  },
};

function hrefsAt(payload: JsonObject, ...keys: readonly string[]): readonly string[] {
  const links = valueAt(payload, ...keys);
  return Array.isArray(links) ? present(links.filter(isJsonObject).map((link) => textAt(link, 'href'))) : [];
}

/** `<server>/scm/<project>/<repository>.git`: the server is what stands before `/projects/` or `/users/` in a link. */
function madeAddresses(payload: JsonObject): readonly string[] {
  const [project, slug] = [textAt(payload, 'repository', 'project', 'key'), textAt(payload, 'repository', 'slug')];
  if (project === undefined || slug === undefined) return [];
  const links = [
    ...hrefsAt(payload, 'repository', 'links', 'self'),
    ...hrefsAt(payload, 'repository', 'project', 'links', 'self'),
    ...hrefsAt(payload, 'actor', 'links', 'self'),
  ];
  const servers = present(links.map((link) => /^(https?:\/\/.+?)\/(?:projects|users)\//.exec(link)?.[1]));
  return [...new Set(servers)].map((server) => `${server}/scm/${project}/${slug}.git`);
}

/** A provider stands before those whose headers it sends too. */
const inOrder: readonly Provider[] = [gitea, github, gitlab, bitbucket, bitbucketServer, azure];

export function providerOf(headers: IncomingHttpHeaders): Provider {
  return inOrder.find(({ isSender }) => isSender(headers)) ?? generic;
}
