// The REST API v4 of GitLab. Groups are listed with their subgroups, and without projects that others share with them.

import type { JsonObject } from '../../../build/contract/json.ts';
import { parseForgeId } from '../../sync/forge-place.ts';
import { parseRepositoryPath } from '../model/forge-name.ts';
import type { ForgeDialect } from './dialect.ts';
import { arrayOf, objectOf, pathIdOf, query, stampOf, textOf } from './fields.ts';

const oldestFirst = { order_by: 'id', sort: 'asc', per_page: '100' };

const bodyOf = (url: string): JsonObject => ({
  url,
  push_events: true,
  tag_push_events: true,
  enable_ssl_verification: true,
});

export const gitlab: ForgeDialect = {
  name: 'gitlab',
  headers: { accept: 'application/json' },
  authorization: ({ token }) => ({ 'private-token': token }),
  gitUser: () => 'oauth2',
  findOwner: async (owner, ask) => {
    const group = await ask(`/groups/${encodeURIComponent(owner)}?${query({ with_projects: 'false' })}`);
    if (group.status === 200) return 'organization';
    const users = await ask(`/users?${query({ username: owner })}`);
    return (arrayOf(users.body) ?? []).length === 1 ? 'user' : undefined;
  },
  listPath: (owner, kind) =>
    kind === 'user'
      ? `/users/${encodeURIComponent(owner)}/projects?${query(oldestFirst)}`
      : `/groups/${encodeURIComponent(owner)}/projects?` +
        query({ include_subgroups: 'true', with_shared: 'false', ...oldestFirst }),
  itemsOf: arrayOf,
  nextIn: 'link',
  readRepository: (item, owner) => {
    const [id, path] = [parseForgeId(item['id']), parseRepositoryPath(item['path_with_namespace'], owner)];
    if (id === undefined || path === undefined) return undefined;
    return {
      id,
      path,
      // a project that somebody removed is listed for some days, under another name
      isArchived: item['archived'] === true || textOf(item['marked_for_deletion_on']) !== undefined,
      isFork: objectOf(item['forked_from_project']) !== undefined,
      branch: item['empty_repo'] === true ? undefined : textOf(item['default_branch']),
      stamp: stampOf(item['last_activity_at']),
    };
  },
  repositoryPath: ({ id }) => `/projects/${id}`,
  readFile: ({ id, branch = 'HEAD' }, file) =>
    Promise.resolve({
      path: `/projects/${id}/repository/files/${encodeURIComponent(file)}/raw?${query({ ref: branch })}`,
      accept: '*/*',
    }),
  folderPath: ({ id, branch = 'HEAD' }, folder) => {
    const asked = query({ path: folder.slice(0, -1), ref: branch, per_page: '100' });
    return Promise.resolve(`/projects/${id}/repository/tree?${asked}`);
  },
  hooks: {
    ofOwner: (owner, kind) => (kind === 'organization' ? `/groups/${encodeURIComponent(owner)}/hooks` : undefined),
    ofRepository: ({ id }) => `/projects/${id}/hooks`,
    firstPage: query({ per_page: '100' }),
    pages: 'named',
    read: (item) => {
      const [id, url] = [pathIdOf(item['id']), textOf(item['url'])];
      return id === undefined || url === undefined ? undefined : { id, url };
    },
    // GitLab 19 signs; older versions leave the signing token out, and send the secret itself
    body: (url, secret) => ({ ...bodyOf(url), signing_token: secret }),
    otherBody: (answer, url, secret) =>
      answer['signing_token_present'] === true ? undefined : { ...bodyOf(url), token: secret },
    kind: {},
    changeBy: 'PUT',
    pauseMs: 0,
  },
};
