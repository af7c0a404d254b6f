// The REST API of GitHub and GitHub Enterprise Server, version 2022-11-28.

import { parseForgeId } from '../../sync/forge-place.ts';
import { parseRepositoryPath, type OwnerKind, type OwnerName } from '../model/forge-name.ts';
import type { ForgeDialect } from './dialect.ts';
import { arrayOf, objectOf, pathIdOf, pathOf, query, stampOf, textOf } from './fields.ts';

const perPage = '100';
const oldestFirst = { sort: 'created', direction: 'asc', per_page: perPage };

export const githubHeaders = {
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
};

export const github: ForgeDialect = {
  name: 'github',
  headers: githubHeaders,
  authorization: ({ token }) => ({ authorization: `Bearer ${token}` }),
  gitUser: () => 'x-access-token',
  findOwner: async (owner, ask) => {
    const found = await ask(`/users/${owner}`);
    if (found.status === 404) return undefined;
    if (objectOf(found.body)?.['type'] === 'Organization') return 'organization';
    // only the owner sees private repositories of a user, and at another path
    const self = await ask('/user');
    return textOf(objectOf(self.body)?.['login'])?.toLowerCase() === owner.toLowerCase() ? 'self' : 'user';
  },
  listPath: (owner, kind) => listPaths[kind](owner),
  itemsOf: (body) => arrayOf(body) ?? arrayOf(objectOf(body)?.['repositories']),
  nextIn: 'link',
  readRepository: (item, owner) => {
    const [id, path] = [parseForgeId(item['id']), parseRepositoryPath(item['full_name'], owner)];
    if (id === undefined || path === undefined) return undefined;
    return {
      id,
      path,
      isArchived: item['archived'] === true || item['disabled'] === true,
      isFork: item['fork'] === true,
      branch: textOf(item['default_branch']),
      stamp: stampOf(item['pushed_at']),
    };
  },
  repositoryPath: ({ path }) => `/repos/${path}`,
  readFile: ({ path }, file) =>
    Promise.resolve({ path: `/repos/${path}/contents/${pathOf(file)}`, accept: 'application/vnd.github.raw+json' }),
  folderPath: ({ path }, folder) => Promise.resolve(`/repos/${path}/contents/${pathOf(folder.slice(0, -1))}`),
  hooks: {
    ofOwner: (owner, kind) => (kind === 'organization' || kind === 'installation' ? `/orgs/${owner}/hooks` : undefined),
    ofRepository: ({ path }) => `/repos/${path}/hooks`,
    read: (item) => {
      const [id, url] = [pathIdOf(item['id']), textOf(objectOf(item['config'])?.['url'])];
      return id === undefined || url === undefined ? undefined : { id, url };
    },
    firstPage: query({ per_page: perPage }),
    pages: 'named',
    body: (url, secret) => ({
      active: true,
      events: ['push'],
      config: { url, secret, content_type: 'json', insecure_ssl: '0' },
    }),
    kind: { name: 'web' },
    changeBy: 'PATCH',
    pauseMs: 1000,
  },
};

const listPaths: Readonly<Record<OwnerKind, (owner: OwnerName) => string>> = {
  organization: (owner) => `/orgs/${owner}/repos?${query({ type: 'all', ...oldestFirst })}`,
  user: (owner) => `/users/${owner}/repos?${query({ type: 'owner', ...oldestFirst })}`,
  self: () => `/user/repos?${query({ affiliation: 'owner', ...oldestFirst })}`,
  installation: () => `/installation/repositories?${query({ per_page: perPage })}`,
};
