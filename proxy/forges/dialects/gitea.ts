// The API v1 of Gitea and Forgejo.

import { parseForgeId } from '../../sync/forge-place.ts';
import { parseRepositoryPath } from '../model/forge-name.ts';
import type { ForgeDialect } from './dialect.ts';
import { arrayOf, objectOf, pathIdOf, pathOf, query, stampOf, textOf } from './fields.ts';

/** The most that an instance delivers by default. */
const firstPage = query({ page: '1', limit: '50' });

export const gitea: ForgeDialect = {
  name: 'gitea',
  headers: { accept: 'application/json' },
  authorization: ({ token }) => ({ authorization: `token ${token}` }),
  gitUser: () => 'oauth2',
  findOwner: async (owner, ask) => {
    if ((await ask(`/orgs/${owner}`)).status === 200) return 'organization';
    return (await ask(`/users/${owner}`)).status === 200 ? 'user' : undefined;
  },
  listPath: (owner, kind) => `/${kind === 'user' ? 'users' : 'orgs'}/${owner}/repos?${firstPage}`,
  itemsOf: arrayOf,
  nextIn: 'link',
  readRepository: (item, owner) => {
    const [id, path] = [parseForgeId(item['id']), parseRepositoryPath(item['full_name'], owner)];
    if (id === undefined || path === undefined) return undefined;
    return {
      id,
      path,
      isArchived: item['archived'] === true,
      isFork: item['fork'] === true,
      branch: item['empty'] === true ? undefined : textOf(item['default_branch']),
      stamp: stampOf(item['updated_at']),
    };
  },
  repositoryPath: ({ id }) => `/repositories/${id}`,
  readFile: ({ path }, file) => Promise.resolve({ path: `/repos/${path}/raw/${pathOf(file)}`, accept: '*/*' }),
  folderPath: ({ path }, folder) => Promise.resolve(`/repos/${path}/contents/${pathOf(folder.slice(0, -1))}`),
  hooks: {
    ofOwner: (owner, kind) => (kind === 'organization' ? `/orgs/${owner}/hooks` : undefined),
    ofRepository: ({ path }) => `/repos/${path}/hooks`,
    firstPage,
    pages: 'numbered',
    read: (item) => {
      const [id, url] = [pathIdOf(item['id']), textOf(objectOf(item['config'])?.['url'])];
      return id === undefined || url === undefined ? undefined : { id, url };
    },
    body: (url, secret) => ({
      active: true,
      branch_filter: '*',
      events: ['push', 'create', 'delete'],
      config: { url, secret, content_type: 'json' },
    }),
    kind: { type: 'gitea' },
    changeBy: 'replacement',
    pauseMs: 0,
  },
};
