// The REST API 2.0 of Bitbucket Cloud. Repositories have a UUID in braces; they are never archived.

import { parseForgeId } from '../../sync/forge-place.ts';
import { parseRepositoryPath } from '../model/forge-name.ts';
import type { AskPath, ForgeDialect } from './dialect.ts';
import { arrayOf, objectOf, pathIdOf, pathOf, query, stampOf, textOf } from './fields.ts';

export const bitbucket: ForgeDialect = {
  name: 'bitbucket',
  headers: { accept: 'application/json' },
  authorization: ({ token, user }) => ({
    authorization:
      user === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`,
  }),
  // an API token belongs to a user; an access token to a workspace, a project or a repository
  gitUser: ({ user }) => (user === undefined ? 'x-token-auth' : 'x-bitbucket-api-token-auth'),
  // a token for repositories may not read the workspace itself
  findOwner: async (owner, ask) =>
    (await ask(`/repositories/${owner}?${query({ pagelen: '1' })}`)).status === 200 ? 'organization' : undefined,
  listPath: (owner) => `/repositories/${owner}?${query({ pagelen: '100', sort: 'created_on' })}`,
  itemsOf: (body) => arrayOf(objectOf(body)?.['values']),
  nextIn: 'body',
  readRepository: (item, owner) => {
    const [id, path] = [parseForgeId(item['uuid']), parseRepositoryPath(item['full_name'], owner)];
    if (id === undefined || path === undefined || (textOf(item['scm']) ?? 'git') !== 'git') return undefined;
    return {
      id,
      path,
      isArchived: false,
      isFork: objectOf(item['parent']) !== undefined,
      branch: textOf(objectOf(item['mainbranch'])?.['name']),
      stamp: stampOf(item['updated_on']),
    };
  },
  repositoryPath: ({ id }, owner) => `/repositories/${owner}/${encodeURIComponent(`{${id}}`)}`,
  readFile: async ({ path, branch = '' }, file, ask) => {
    const commit = branch.includes('/') ? await commitOf(`/repositories/${path}/refs/branches/${branch}`, ask) : branch;
    if (commit === undefined) return undefined;
    return { path: `/repositories/${path}/src/${encodeURIComponent(commit)}/${pathOf(file)}`, accept: '*/*' };
  },
  folderPath: async (repository, folder, ask) => {
    const file = await bitbucket.readFile(repository, folder, ask);
    return file && `${file.path}?${query({ pagelen: '100' })}`;
  },
  hooks: {
    ofOwner: (owner) => `/workspaces/${owner}/hooks`,
    ofRepository: ({ path }) => `/repositories/${path}/hooks`,
    firstPage: query({ pagelen: '100' }),
    pages: 'named',
    read: (item) => {
      const [id, url] = [pathIdOf(item['uuid']), textOf(item['url'])];
      return id === undefined || url === undefined ? undefined : { id, url };
    },
    body: (url, secret) => ({ description: 'Libretto', active: true, url, secret, events: ['repo:push'] }),
    kind: {},
    changeBy: 'PUT',
    pauseMs: 0,
  },
};

/** The path of a file takes a commit, or a branch without a slash in its name. */
async function commitOf(path: string, ask: AskPath): Promise<string | undefined> {
  if (!/^[\w./-]+$/.test(path) || path.includes('..')) return undefined;
  const { body } = await ask(path);
  const hash = textOf(objectOf(objectOf(body)?.['target'])?.['hash']);
  return hash !== undefined && /^[0-9a-f]{7,64}$/.test(hash) ? hash : undefined;
}
