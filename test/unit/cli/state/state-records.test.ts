// Tests the parser of every kind of row in a state, and that related rows agree. After every test of the management
// API, test/util/assert-state.ts checks that no other kind is written.

import { hash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../../../build/contract/json.ts';
import { stateFamilies } from '../../../../cli/state/state-families.ts';
import { assertRecords } from '../../../../cli/state/state-records.ts';
import { contentKey, stagedKey, versionKey } from '../../../../proxy/artifacts/artifact.ts';
import { connectionPlaceKey } from '../../../../proxy/forges/model/connection.ts';
import type { OwnerName } from '../../../../proxy/forges/model/forge-name.ts';
import { firstProgress } from '../../../../proxy/forges/model/progress.ts';
import { userEmailKey } from '../../../../proxy/auth/user.ts';
import { jobKey } from '../../../../proxy/sync/job.ts';
import { withdrawalKey } from '../../../../proxy/packages/withdrawals.ts';
import { policyRows } from '../../../util/policy-rows.ts';
import { jobOfToken, publisherRows } from '../../../util/publisher-rows.ts';
import { brokenSignInRows, signInRows, userWays } from '../../../util/sign-in-rows.ts';
import { usageRows } from '../../../util/usage-rows.ts';
import { createAuditedStore } from '../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';

const at = '2026-11-22T14:00:00.000Z';
const of = (kind: string, last = '0'): string => `${kind}_000000000000000${last}`;
const [token, otherToken, user, otherUser, artifact, otherArtifact, repository, connection] = [
  of('tok'),
  of('tok', '1'),
  of('usr'),
  of('usr', '1'),
  of('art'),
  of('art', '1'),
  of('repo'),
  of('conn'),
];
const tokenRecord = (id: string, digest: string): JsonObject => ({
  id,
  description: 'x',
  kind: 'read',
  limit: null,
  created_at: at,
  created_by: 'cli:a',
  expires_at: null,
  revoked_at: null,
  hash: digest,
});
const userRecord = (id: string, email: string): JsonObject => ({
  id,
  email,
  name: null,
  role: 'admin',
  status: 'active',
  password: 'x',
  two_factor: null,
  invitation: null,
  created_at: at,
  created_by: 'cli:a',
  last_login_at: null,
  known_addresses: [],
});
const artifactRecord = (id: string, version: string): JsonObject => ({
  id,
  name: 'acme/hello',
  version,
  version_normalized: version,
  reference: 'r',
  sha256: '',
  sha1: '',
  size: 1,
  url: '',
  status: 'published',
  created_at: at,
  created_by: 'cli:a',
  retired_at: null,
});
const connectionRecord = {
  id: connection,
  forge: 'github',
  web: 'https://github.com',
  api: 'https://api.github.com',
  owner: 'acme',
  owner_kind: 'organization',
  only: [],
  except: [],
  forks: false,
  hooks: false,
  interval: 3600,
  sync_interval: 43_200,
  credentials: 'sealed',
  credentials_kind: 'token',
  created_at: at,
  created_by: 'cli:a',
  updated_at: at,
} as const satisfies JsonObject;
const connectionPlace = connectionPlaceKey({ ...connectionRecord, owner: 'acme' as OwnerName });
const content = (version: string) => ({ name: 'acme/hello', version_normalized: version, reference: 'r' });
const invited = hash('sha256', 'an invitation');
const endpoint = of('ntf');
const event: JsonObject = {
  id: `evt_${'0'.repeat(22)}`,
  type: 'package.abandoned',
  at,
  data: { package: 'acme/hello' },
  subject: { name: 'acme/hello', version_normalized: null, released_ms: null },
};
const place = `001795356000000-${event['id'] as string}`;
const delivery: JsonObject = {
  endpoint,
  event,
  state: 'pending',
  failures: 0,
  attempts: [],
  next_at: at,
  created_at: at,
};
const job: JsonObject = { id: of('job'), repository_id: repository, created_at: at, log: [] };
const jobAt = jobKey(job as unknown as Parameters<typeof jobKey>[0]);

/** One valid row of every kind, and two of those that others refer to. */
const rows: Readonly<Record<string, JsonValue>> = {
  [`artifact/${artifact}`]: artifactRecord(artifact, '1.0.0.0'),
  [`artifact/${otherArtifact}`]: artifactRecord(otherArtifact, '2.0.0.0'),
  [contentKey(content('1.0.0.0'))]: artifact,
  [contentKey(content('2.0.0.0'))]: otherArtifact,
  [versionKey(content('1.0.0.0'))]: { id: artifact, serial: 1 },
  [stagedKey(content('2.0.0.0'))]: otherArtifact,
  'attempt/address/x': { count: 1, last_ms: 1 },
  'counters/saved': [['token', 3, 1]],
  'download-day/2026-11-22': 2,
  'download-total/acme/hello': 2,
  'download-versions/acme/hello': { '1.0.0': 2 },
  'downloads/acme/hello/2026-11-22': { '1.0.0': 2 },
  [`event-outbox/${repository}/${place}`]: event,
  [`hook/repository/${repository}`]: {
    secrets: [{ id: of('whs'), sealed: 'v1.k.i.t', created_at: at, ends_at: null }],
    created_at: at,
    created_by: 'cli:a',
  },
  [`hook-delivery/${repository}/001795356000000-${of('dlv')}`]: {
    id: of('dlv'),
    hook: 'repository',
    provider: 'github',
    provider_id: 'x',
    event: 'push',
    outcome: 'sync',
    received_at: at,
    repositories: [repository],
  },
  [`hook-pending/${repository}`]: { repository_id: repository, host: '', asked_at: at, deliveries: [of('dlv')] },
  [`hook-refusal/${repository}`]: { count: 3, last_at: at, reason: 'wrong proof' },
  'hook-seen/020779/x': at,
  'install-day/2026-11-22': 2,
  'install-total/acme/hello': 2,
  'install-versions/acme/hello': { '1.0.0': 2 },
  'installs/acme/hello/2026-11-22': { '1.0.0': 2 },
  [jobAt]: job,
  'lease/schedule': { holder: 'x', owner: 'y' },
  'mail-password/server': { sealed: 'v1.k.i.t' },
  'mail-status/server': { sent_at: at, failed_at: null, error: null },
  [`mail-waiting/001795356000000-${of('mail')}`]: {
    id: of('mail'),
    to: 'ada@example.org',
    kind: 'syncs',
    sealed: 'v1.k.i.t',
    failures: 0,
    created_at: at,
    ends_at: at,
    next_at: at,
  },
  'notify-cursor/audit': { done: 1 },
  [`notify-delivery/${endpoint}/${place}`]: delivery,
  [`notify-due/${endpoint}/001795356000000-${place}`]: true,
  [`notify-endpoint/${endpoint}`]: {
    id: endpoint,
    name: 'x',
    form: 'standard',
    url: 'v1.k.i.t',
    shown_url: 'https://hooks.example.org/',
    scheme: 'v1',
    secrets: [{ id: of('whs'), sealed: 'v1.k.i.t', created_at: at, ends_at: null, public_key: null }],
    events: ['package.abandoned'],
    packages: ['acme/*'],
    stability: null,
    view: token,
    disabled: null,
    created_at: at,
    created_by: 'cli:a',
    updated_at: at,
  },
  [`notify-status/${endpoint}`]: { delivered_at: null, failed_at: at, error: 'x', failures: 1, paused_until: null },
  ...policyRows(at),
  ...publisherRows(at, otherToken, 'h1'),
  ...signInRows(at, otherUser),
  ...usageRows,
  'purge/x': {
    name: 'acme/hello',
    version: '1.0.0',
    reason: 'secret',
    note: null,
    purged_at: at,
    purged_by: 'cli:a',
    tombstones: [],
  },
  [`connection/${connection}`]: connectionRecord,
  [connectionPlace]: connection,
  [`connection-page/${connection}/000000`]: { query: null, etag: null, next: null, ids: ['7'], fresh_until: at },
  [`connection-progress/${connection}`]: { ...firstProgress } as unknown as JsonObject,
  [`connection-seen/${connection}/7`]: {
    id: '7',
    path: 'acme/tool',
    state: 'skipped',
    reason: 'fork',
    repository: null,
    package: null,
    stamp: '',
    checked_at: at,
    hook: false,
  },
  [`connection-token/${connection}`]: { token: 'sealed', expires_at: at },
  [`repository/${repository}`]: {
    id: repository,
    type: 'git',
    url: 'https://git.example.org/x',
    filters: {},
    credentials: null,
    credentials_kind: null,
    interval: null,
    created_at: at,
    created_by: 'cli:a',
    updated_at: at,
  },
  [`repository-active/${repository}`]: jobAt,
  'repository-place/x': repository,
  [`repository-sync/${repository}`]: { status: 'active', error_message: null, last_synced_at: at, attempted_at: at },
  [`session/${user}/x`]: { id: 'ses_x', created_at: at, expires_at: at, address: '::1' },
  'setting/mirroring.enabled': true,
  'setup-code/x': { expires_at: at },
  [`token/${token}`]: { ...tokenRecord(token, 'h0'), previous_hash: 'before', previous_expires_at: at },
  [`token/${otherToken}`]: tokenRecord(otherToken, 'h1'),
  'token-foreign/h1': otherToken,
  'token-hash/before': token,
  'token-hash/h0': token,
  'token-hash/h1': otherToken,
  [`token-use/${token}`]: { at, from: '::1' },
  [`user/${user}`]: { ...userRecord(user, 'ada@example.org'), invitation: { hash: invited, expires_at: at } },
  [`user/${otherUser}`]: { ...userRecord(otherUser, 'eve@example.org'), ...userWays(at) },
  [userEmailKey('ada@example.org')]: user,
  [userEmailKey('eve@example.org')]: otherUser,
  [`user-invitation/${invited}`]: user,
  'user-roster': { users: 2, admins: [user, otherUser] },
  [withdrawalKey('acme/hello', '1.0.0.0')]: {
    name: 'acme/hello',
    version: '1.0.0',
    version_normalized: '1.0.0.0',
    reference: 'r',
    withdrawn_at: at,
    withdrawn_by: 'cli:a',
  },
};
const familyOf = (key: string): string => key.split('/', 1)[0] ?? '';

let state: StateStore;
beforeEach(async () => {
  state = createMemoryStore();
  await createAuditedStore({ store: state, now: () => 1 }).commit(
    { conditions: [], puts: Object.entries(rows).map(([key, value]) => ({ key, value })), deletes: [] },
    { actor: 'cli:a', action: 'x', subject: 'x', details: {} },
  );
});
const put = (key: string, value: JsonValue | undefined): Promise<boolean> =>
  state.commit({
    conditions: [],
    puts: value === undefined ? [] : [{ key, value }],
    deletes: value === undefined ? [key] : [],
  });

describe('the records of a state', () => {
  it('are valid as they are written, and cover every known kind', async () => {
    await assertRecords(state);
    expect(new Set((await state.range('')).map(({ key }) => familyOf(key)))).toEqual(new Set(stateFamilies.keys()));
  });

  it.each(['audit/head', ...Object.keys(rows)])('%s that is malformed is reported with its kind', async (key) => {
    for (const value of [-5, null, 'x', [5], { users: [] }]) {
      await put(key, value);
      await expect(assertRecords(state), JSON.stringify(value)).rejects.toMatchObject({
        code: 'STATE_CORRUPT',
        message: expect.stringContaining(`"${familyOf(key)}"`) as string,
      });
    }
  });

  it.each([
    ['a token whose hash leads to another one', 'token-hash/h0', otherToken, /token/],
    ['a token whose hash leads nowhere', 'token-hash/h0', undefined, /"token" and .* "token-hash"/],
    ['a token whose former hash leads nowhere', 'token-hash/before', undefined, /"token" and .* "token-hash"/],
    [
      'a job whose token is another one',
      `token-run/${otherToken}`,
      { run: jobOfToken, hash: 'h0', expires_at: at },
      /token-run/,
    ],
    ['a foreign secret that leads nowhere', 'token-foreign/h9', token, /"token-foreign" and .* "token-hash"/],
    ['a hash that leads to no token', 'token-hash/h2', of('tok', '2'), /"token-hash" and .* "token"/],
    ['an email that leads to another user', userEmailKey('ada@example.org'), otherUser, /user/],
    ['an email that leads to no user', userEmailKey('bob@example.org'), of('usr', '2'), /"user-email" and .* "user"/],
    ...brokenSignInRows(at, user, of('usr', '2')),
    [
      'a user whose invitation leads nowhere',
      `user-invitation/${invited}`,
      undefined,
      /"user" and .* "user-invitation"/,
    ],
    ['a content that leads to another artifact', contentKey(content('1.0.0.0')), otherArtifact, /artifact/],
    [
      'a version that leads to another artifact',
      versionKey(content('1.0.0.0')),
      { id: otherArtifact, serial: 1 },
      /"artifact-version" and .* "artifact"/,
    ],
    [
      'a place that leads to no repository',
      'repository-place/y',
      of('repo', '1'),
      /"repository-place" and .* "repository"/,
    ],
    [
      'a place that leads to no connection',
      'connection-place/y',
      of('conn', '1'),
      /"connection-place" and .* "connection"/,
    ],
    [
      'a record that lies under the id of another one',
      `token/${otherToken}`,
      tokenRecord(token, 'h0'),
      /"token" is malformed/,
    ],
    [
      'a due time that leads to no delivery',
      `notify-due/${endpoint}/001795356000001-${place}`,
      true,
      /"notify-due" and .* "notify-delivery"/,
    ],
    [
      'a due time whose delivery is settled',
      `notify-delivery/${endpoint}/${place}`,
      { ...delivery, next_at: null, state: 'delivered' },
      /"notify-due" and .* "notify-delivery"/,
    ],
    [
      'a delivery that lies under the id of another endpoint',
      `notify-delivery/${of('ntf', '1')}/${place}`,
      delivery,
      /"notify-delivery" is malformed/,
    ],
    [
      'a count of users that is not theirs',
      'user-roster',
      { users: 1, admins: [user, otherUser] },
      /"user-roster" does not agree/,
    ],
    ['admins that are none', 'user-roster', { users: 2, admins: [user] }, /"user-roster" does not agree/],
  ] as const)('are refused: %s', async (_what, key, value, message) => {
    await put(key, value);
    await expect(assertRecords(state)).rejects.toMatchObject({
      code: 'STATE_CORRUPT',
      message: expect.stringMatching(message) as string,
    });
  });

  it('records that change while they are read are no damage', async () => {
    const moving: Pick<StateStore, 'get' | 'range'> = {
      range: state.range,
      get: async (key) => {
        if (key === `token/${token}`)
          await state.commit({
            conditions: [],
            puts: [
              { key, value: tokenRecord(token, 'h9') },
              { key: 'token-hash/h9', value: token },
            ],
            deletes: ['token-hash/h0', 'token-hash/before'],
          });
        return state.get(key);
      },
    };
    await assertRecords(moving);
  });

  it('records of a later version, and records of artifacts that a cleanup removed, are no damage', async () => {
    await put('later/x', 1);
    await put('setting/of.tomorrow', { x: 1 });
    await put('setting/limits.read', -1);
    await put(`artifact/${artifact}`, undefined);
    await put(contentKey(content('1.0.0.0')), undefined);
    await assertRecords(state);
  });
});
