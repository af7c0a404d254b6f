// Two payloads of each provider, in the shapes that their documentation describes, shortened to the fields around those
// that are read. All are about the repository acme/tool.

const zeros = '0'.repeat(40);
const before = '9a1f0c3d5b7e2468ace013579bdf02468ace1357';
const after = '3c5e7092b4d6f81a3c5e7092b4d6f81a3c5e7092';

const githubRepository = {
  id: 70_211_934,
  name: 'tool',
  full_name: 'acme/tool',
  private: true,
  owner: { login: 'acme', id: 4711, type: 'Organization' },
  html_url: 'https://github.com/acme/tool',
  url: 'https://api.github.com/repos/acme/tool',
  git_url: 'git://github.com/acme/tool.git',
  svn_url: 'https://github.com/acme/tool',
  clone_url: 'https://github.com/acme/tool.git',
  ssh_url: 'git@github.com:acme/tool.git',
  default_branch: 'main',
};

const giteaRepository = {
  id: 12,
  name: 'tool',
  full_name: 'acme/tool',
  owner: { id: 4, login: 'acme', username: 'acme' },
  empty: false,
  private: true,
  html_url: 'https://gitea.example.org/acme/tool',
  url: 'https://gitea.example.org/api/v1/repos/acme/tool',
  clone_url: 'https://gitea.example.org/acme/tool.git',
  ssh_url: 'ssh://git@gitea.example.org:2222/acme/tool.git',
};

const gitlabRepository = {
  name: 'tool',
  url: 'git@gitlab.example.org:acme/php/tool.git',
  description: '',
  homepage: 'https://gitlab.example.org/acme/php/tool',
  git_http_url: 'https://gitlab.example.org/acme/php/tool.git',
  git_ssh_url: 'git@gitlab.example.org:acme/php/tool.git',
  visibility_level: 0,
};

const gitlabProject = {
  name: 'tool',
  web_url: 'https://gitlab.example.org/acme/php/tool',
  git_ssh_url: 'git@gitlab.example.org:acme/php/tool.git',
  git_http_url: 'https://gitlab.example.org/acme/php/tool.git',
  namespace: 'php',
  visibility_level: 0,
  path_with_namespace: 'acme/php/tool',
  default_branch: 'main',
};

const cloudApi = 'https://api.bitbucket.org/2.0/repositories/acme/tool';

const cloudRepository = {
  type: 'repository',
  full_name: 'acme/tool',
  name: 'tool',
  scm: 'git',
  uuid: '{7b1f64a2-0d4c-4d2e-9d0a-52cf1a6f3e11}',
  is_private: true,
  owner: { type: 'team', username: 'acme', uuid: '{c1f0b5b2-5a3e-4f0d-8a4e-0a1d3f6c9b27}' },
  workspace: { type: 'workspace', slug: 'acme', name: 'Acme' },
  project: { type: 'project', key: 'PHP', name: 'PHP' },
  parent: null,
  // no address to clone from, unlike in the API
  links: { self: { href: cloudApi }, html: { href: 'https://bitbucket.org/acme/tool' } },
};

const cloudActor = {
  type: 'user',
  display_name: 'Mira',
  nickname: 'mira',
  account_id: '557058:3f1c',
  uuid: '{5d2b8a70-3e1f-4f67-9c43-7f0d1e2a9b11}',
};

const cloudCommit = {
  type: 'commit',
  hash: after,
  message: 'One more line',
  links: { self: { href: `${cloudApi}/commit/${after}` } },
};

const dataCenterRepository = {
  slug: 'tool',
  id: 84,
  name: 'tool',
  hierarchyId: '7c1f0e6bd2a94f0f8a3e',
  scmId: 'git',
  state: 'AVAILABLE',
  statusMessage: 'Available',
  forkable: true,
  project: { key: 'ACME', id: 3, name: 'Acme', public: false, type: 'NORMAL' },
  public: false,
};

const dataCenterActor = {
  name: 'admin',
  emailAddress: 'admin@example.org',
  id: 1,
  displayName: 'Administrator',
  active: true,
  slug: 'admin',
  type: 'NORMAL',
  links: { self: [{ href: 'https://git.example.org/stash/users/admin' }] },
};

const azureResource = (remoteUrl: string) => ({
  commits: [{ commitId: after, author: { name: 'Mira', email: 'mira@example.org' }, comment: 'One more line' }],
  refUpdates: [{ name: 'refs/tags/1.2.0', oldObjectId: zeros, newObjectId: after }],
  repository: {
    id: '278d5cd2-584d-4b63-824a-2ba458937249',
    name: 'Tool Box',
    url: 'https://dev.azure.com/acme/_apis/git/repositories/278d5cd2-584d-4b63-824a-2ba458937249',
    project: { id: '6ce954b1-ce1f-45d1-b94d-e6bf2464ba2c', name: 'PHP Team', state: 'wellFormed' },
    defaultBranch: 'refs/heads/main',
    remoteUrl,
  },
  pushedBy: { id: '54d125f7-69f7-4191-904f-c5b96b6261c8', displayName: 'Mira', uniqueName: 'mira@example.org' },
  pushId: 14,
  date: '2026-11-23T18:00:00.33Z',
  url: 'https://dev.azure.com/acme/_apis/git/repositories/278d5cd2-584d-4b63-824a-2ba458937249/pushes/14',
});

const azureEvent = {
  subscriptionId: '5f2c6d8e-54f7-4b6d-9f6e-3d6a3f2b1c0d',
  notificationId: 3,
  eventType: 'git.push',
  publisherId: 'tfs',
  message: { text: 'Mira pushed a commit', html: 'Mira pushed a commit', markdown: 'Mira pushed a commit' },
  resourceVersion: '1.0',
  resourceContainers: { project: { id: '6ce954b1-ce1f-45d1-b94d-e6bf2464ba2c' } },
  createdDate: '2026-11-23T18:00:01.27Z',
};

/** A payload, with the name of its event where a header has it. */
export interface RecordedPayload {
  readonly event: string;
  readonly payload: object;
}

/** The first is about a branch, the second one about a tag. */
export const recordedPayloads = {
  github: [
    {
      event: 'push',
      payload: {
        ref: 'refs/heads/main',
        before,
        after,
        created: false,
        deleted: false,
        forced: false,
        base_ref: null,
        compare: 'https://github.com/acme/tool/compare/9a1f0c3d5b7e...3c5e7092b4d6',
        commits: [],
        head_commit: null,
        // the web address here, and the address of the API in every other event
        repository: { ...githubRepository, url: 'https://github.com/acme/tool', master_branch: 'main', stargazers: 0 },
        pusher: { name: 'mira', email: 'mira@example.org' },
        sender: { login: 'mira', id: 12, type: 'User' },
      },
    },
    {
      event: 'create',
      payload: {
        ref: '1.2.0',
        ref_type: 'tag',
        master_branch: 'main',
        description: null,
        pusher_type: 'user',
        repository: githubRepository,
        sender: { login: 'mira', id: 12, type: 'User' },
      },
    },
  ],
  gitlab: [
    {
      event: 'Push Hook',
      payload: {
        object_kind: 'push',
        event_name: 'push',
        ref: 'refs/heads/main',
        before,
        after,
        ref_protected: true,
        checkout_sha: after,
        message: null,
        user_username: 'mira',
        project_id: 15,
        project: { id: 15, ...gitlabProject },
        commits: [],
        total_commits_count: 1,
        push_options: {},
        repository: gitlabRepository,
      },
    },
    {
      event: 'System Hook',
      // a system hook names no object_kind, and no id in the project
      payload: {
        event_name: 'tag_push',
        ref: 'refs/tags/1.2.0',
        before: zeros,
        after,
        checkout_sha: after,
        project_id: 15,
        project: gitlabProject,
        repository: gitlabRepository,
        commits: [],
        total_commits_count: 0,
      },
    },
  ],
  bitbucket: [
    {
      event: 'repo:push',
      payload: {
        push: {
          changes: [
            {
              old: { type: 'branch', name: 'main', target: { type: 'commit', hash: before } },
              new: { type: 'branch', name: 'main', target: cloudCommit },
              created: false,
              closed: false,
              forced: false,
              truncated: false,
              links: { html: { href: 'https://bitbucket.org/acme/tool/branches/compare/main' } },
              commits: [cloudCommit],
            },
          ],
        },
        repository: cloudRepository,
        actor: cloudActor,
      },
    },
    {
      event: 'repo:push',
      payload: {
        push: {
          changes: [
            {
              old: { type: 'tag', name: '1.1.0', target: cloudCommit },
              new: null,
              created: false,
              closed: true,
              forced: false,
              truncated: false,
            },
          ],
        },
        repository: cloudRepository,
        actor: cloudActor,
      },
    },
  ],
  'bitbucket-server': [
    {
      event: 'repo:refs_changed',
      payload: {
        eventKey: 'repo:refs_changed',
        date: '2026-11-23T18:00:00+0000',
        actor: dataCenterActor,
        repository: {
          ...dataCenterRepository,
          links: {
            clone: [
              { href: 'ssh://git@git.example.org:7999/acme/tool.git', name: 'ssh' },
              { href: 'https://git.example.org/stash/scm/acme/tool.git', name: 'http' },
            ],
            self: [{ href: 'https://git.example.org/stash/projects/ACME/repos/tool/browse' }],
          },
        },
        changes: [
          {
            ref: { id: 'refs/heads/main', displayId: 'main', type: 'BRANCH' },
            refId: 'refs/heads/main',
            fromHash: before,
            toHash: after,
            type: 'UPDATE',
          },
        ],
        commits: [{ id: after, displayId: after.slice(0, 11), message: 'One more line' }],
        toCommit: { id: after, displayId: after.slice(0, 11), message: 'One more line' },
      },
    },
    {
      event: 'repo:refs_changed',
      // of an older version, which sends no links of the repository
      payload: {
        eventKey: 'repo:refs_changed',
        date: '2026-11-23T18:00:00+0000',
        actor: dataCenterActor,
        repository: dataCenterRepository,
        changes: [
          {
            ref: { id: 'refs/tags/1.2.0', displayId: '1.2.0', type: 'TAG' },
            refId: 'refs/tags/1.2.0',
            fromHash: zeros,
            toHash: after,
            type: 'ADD',
          },
        ],
      },
    },
  ],
  gitea: [
    {
      event: 'push',
      payload: {
        ref: 'refs/heads/main',
        before,
        after,
        compare_url: 'https://gitea.example.org/acme/tool/compare/9a1f...3c5e',
        commits: [],
        total_commits: 1,
        head_commit: null,
        repository: giteaRepository,
        pusher: { id: 3, login: 'mira', username: 'mira' },
        sender: { id: 3, login: 'mira', username: 'mira' },
      },
    },
    {
      event: 'create',
      payload: {
        sha: after,
        ref: '1.2.0',
        ref_type: 'tag',
        repository: giteaRepository,
        sender: { id: 3, login: 'mira', username: 'mira' },
      },
    },
  ],
  azure: [
    {
      event: 'git.push',
      payload: {
        ...azureEvent,
        id: 'c94d8aa8-e6b7-4290-b699-27bc88b7dae6',
        resource: azureResource('https://acme@dev.azure.com/acme/PHP%20Team/_git/Tool%20Box'),
      },
    },
    {
      event: 'git.push',
      payload: {
        ...azureEvent,
        id: '9d1f6c2a-7f7d-4d33-8e35-6a7a1f0b2c44',
        resource: azureResource('https://acme.visualstudio.com/DefaultCollection/PHP%20Team/_git/Tool%20Box'),
      },
    },
  ],
  generic: [
    { event: 'hook', payload: { repository: 'https://code.example.org/acme/tool.git' } },
    {
      event: 'hook',
      payload: {
        type: 'git.pushed',
        timestamp: '2026-11-23T18:00:00.33Z',
        data: { repository: 'ssh://git@code.example.org/acme/tool' },
      },
    },
  ],
} as const satisfies Readonly<Record<string, readonly RecordedPayload[]>>;

/** The address under which the repository of a provider's payloads is registered: not always as the payload says it. */
export const registeredAddresses: Readonly<Record<keyof typeof recordedPayloads, string>> = {
  github: 'git@github.com:acme/tool.git',
  gitlab: 'https://gitlab.example.org/acme/php/tool',
  bitbucket: 'git@bitbucket.org:acme/tool.git',
  'bitbucket-server': 'https://git.example.org/stash/scm/ACME/tool.git',
  gitea: 'https://gitea.example.org/Acme/tool.git/',
  azure: 'git@ssh.dev.azure.com:v3/acme/PHP%20Team/Tool%20Box',
  generic: 'https://code.example.org/acme/tool',
};

/** What the test button of Azure DevOps sends: the example of its documentation, about a repository of nobody. */
export const azureTest = {
  ...azureEvent,
  subscriptionId: '00000000-0000-0000-0000-000000000000',
  id: '03c164c2-8912-4d5e-8009-3707d5f83734',
  resource: azureResource('https://fabrikam-fiber-inc.visualstudio.com/DefaultCollection/_git/Fabrikam-Fiber-Git'),
};
