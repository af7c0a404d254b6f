// Hooks of Bitbucket Data Center and Server. A hook may have a name and a password beside its secret, or instead of it.
// Older versions send no clone addresses: the address is then made from the links of the repository or its project.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import { authorizationProof, bodyProof, headerOf } from './proof.ts';
import { present, subjectAmong, textAt, valueAt, type Provider } from './provider.ts';

export const bitbucketServer: Provider = {
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
