// Tests trusted publishers over HTTP: what can be set, what is refused with which field, and what admins see.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubClaims, gitlabClaims } from '../../util/publisher-claims.ts';
import { startPublishingRegistry, type PublishingRegistry } from '../../util/publishing-registry.ts';

type Json = Record<string, unknown>;
let served: PublishingRegistry;
const nowMs = Date.parse('2026-11-27T10:00:00Z');

beforeAll(async () => {
  served = await startPublishingRegistry(() => nowMs);
});
afterAll(() => served[Symbol.asyncDispose]());

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, as = served.admin) =>
  served.registry.call(method, path, { as, body });
const draft = { issuer: 'github', purpose: 'publish', repository: 'Acme/App', packages: ['acme/app'] };
const issuesOf = (json: Json): readonly unknown[] =>
  ((json['details'] as Json)['issues'] as { path: string }[]).map(({ path }) => path);

describe('a trusted publisher', () => {
  it('has safe defaults, and needs no existing package', async () => {
    const made = await served.publisher(draft);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^pub_[0-9A-Za-z]{16}$/) as string,
      name: 'Acme/App',
      issuer: served.github.url,
      kind: 'github',
      purpose: 'publish',
      packages: ['acme/app'],
      repository_id: null,
      ids: 'unknown',
      workflow: null,
      workflow_claim: 'job',
      refs: 'tags-or-protected',
      claims: {},
      token_minutes: 15,
      exchanges_per_hour: 60,
      exchanges: { used: 0, limit: 60, resets_at: null },
      last_run: null,
      issuer_accepted: true,
      created_by: expect.stringMatching(/^user:/) as string,
    });
    expect(await served.publisher({ ...draft, purpose: 'read', packages: null })).toMatchObject({
      refs: 'any',
      token_minutes: 60,
      packages: null,
    });
  });

  it.each([
    [{ issuer: 'https://evil.example.org' }, ['issuer']],
    [{ issuer: 'circleci' }, ['issuer']],
    [{ issuer: 'forgejo', environment: 'release' }, ['environment']],
    [{ repository: null }, ['repository']],
    [{ repository: 'https://github.com/acme/app' }, ['repository']],
    [{ repository: 'acme' }, ['repository']],
    [{ packages: null }, ['packages']],
    [{ packages: ['acme'] }, ['packages.0']],
    [{ stability: 'stable', not_after: '2026-01-01' }, ['stability', 'not_after']],
    [{ token_minutes: 16 }, ['token_minutes']],
    [{ claims: { sub: 'repo:acme/app' } }, ['claims.sub']],
    [{ claims: { aud: 'x', iss: 'y' } }, ['claims.aud', 'claims.iss']],
    [{ workflow: 'release.yml@main' }, ['workflow']],
    [{ repository_id: 'a b' }, ['repository_id']],
    [{ name: '\n' }, ['name']],
    [{ purpose: 'read', packages: ['acme/*'], constraints: { 'other/x': '^1' } }, ['constraints.other/x']],
    [{ issuer: 'oidc', repository: null, refs: 'any' }, ['claims']],
    [{ issuer: 'oidc', claims: { sub: 'x' }, refs: 'any' }, ['repository']],
    [{ issuer: 'oidc', claims: { sub: 'x' }, repository: null, refs: 'tags', workflow: 'a.yml' }, ['workflow', 'refs']],
  ])('with %j is refused at %j', async (over, paths) => {
    const reply = await call('POST', '/api/publishers', { ...draft, ...over });
    expect([reply.status, reply.json()['code']]).toEqual([400, 'INVALID_INPUT']);
    expect(issuesOf(reply.json())).toEqual(paths);
  });

  it.each(['claims', 'constraints'])('with __proto__ in %s is refused: it would be left out', async (field) => {
    const { id } = await served.publisher(draft);
    const hostile = { [field]: JSON.parse('{"__proto__":"x","actor":"bob"}') as Json };
    const replies = [
      await call('POST', '/api/publishers', { ...draft, ...hostile }),
      await call('PATCH', `/api/publishers/${String(id)}`, hostile),
    ];
    for (const reply of replies) expect([reply.status, issuesOf(reply.json())]).toEqual([400, [`${field}.__proto__`]]);
  });

  it('keeps given ids, and asks for those of another repository', async () => {
    const { id } = await served.publisher({ ...draft, repository_id: '1001', owner_id: '77' });
    const path = `/api/publishers/${String(id)}`;
    expect((await call('PATCH', path, { repository: 'ACME/APP' })).json()).toMatchObject({ ids: 'given' });
    const refused = await call('PATCH', path, { repository: 'acme/other' });
    expect(issuesOf(refused.json())).toEqual(['repository_id']);
    expect(
      (await call('PATCH', path, { repository: 'acme/other', repository_id: null, owner_id: null })).json(),
    ).toEqual(expect.objectContaining({ ids: 'unknown', repository: 'acme/other' }));
  });
});

describe('POST /api/publishers/explain', () => {
  const explain = async (token: string): Promise<Json> =>
    (await call('POST', '/api/publishers/explain', { token })).json();

  it('tells what an ID token would get, and why not, without using it up', async () => {
    await using own = await startPublishingRegistry(() => nowMs);
    const good = await own.publisher({ ...draft, name: 'release' });
    const bad = await own.publisher({ ...draft, name: 'other', environment: 'production', workflow: 'x.yml' });
    const token = await own.github.sign(githubClaims({ issuer: own.github.url, nowMs }));
    const asked = async (text: string): Promise<Json> =>
      (await own.registry.call('POST', '/api/publishers/explain', { as: own.admin, body: { token: text } })).json();
    expect(await asked(token)).toMatchObject({
      verified: true,
      problem: null,
      issuer: own.github.url,
      run: { repository: 'acme/app', run_id: '5000', ref: 'refs/tags/v1.2.0' },
      publishers: [
        { id: good['id'], of_repository: true, accepts: true, mismatches: [], token: { kind: 'write', minutes: 15 } },
        {
          id: bad['id'],
          accepts: false,
          token: null,
          mismatches: [
            { claim: 'job_workflow_ref', found: expect.stringContaining('release.yml') as string },
            { claim: 'environment', expected: 'production', found: 'release' },
          ],
        },
      ],
    });
    expect((await own.exchange(token)).status).toBe(201);
    expect(await asked(token)).toMatchObject({ verified: true, problem: expect.stringContaining('already') as string });
    expect((await asked(token))['publishers']).toMatchObject([{ accepts: true, token: null }, {}]);
  });

  it('knows the id that another publisher of the repository pinned, as the exchange does', async () => {
    await using own = await startPublishingRegistry(() => nowMs);
    const pinned = await own.publisher({ ...draft, name: 'release', repository_id: '1001' });
    const reader = await own.publisher({ ...draft, purpose: 'read', repository: 'ACME/app' });
    expect(reader).toMatchObject({ ids: 'shared', repository_id: null, shared_repository_id: '1001' });
    expect(pinned).toMatchObject({ ids: 'given', shared_repository_id: null });
    const claims = githubClaims({ issuer: own.github.url, nowMs }, { repository_id: '2002' });
    const token = await own.github.sign(claims);
    const body = { token };
    const reply = await own.registry.call('POST', '/api/publishers/explain', { as: own.admin, body });
    const mismatches = [{ claim: 'repository_id', expected: '1001', found: '2002' }];
    expect((reply.json()['publishers'] as Json[]).map((one) => [one['token'], one['mismatches']])).toEqual([
      [null, mismatches],
      [null, mismatches],
    ]);
    expect((await own.exchange(token)).status).toBe(403);
  });

  it('explains an expired token, and says that it is', async () => {
    const claims = githubClaims({ issuer: served.github.url, nowMs: nowMs - 3_600_000 }, { repository: 'acme/none' });
    const explained = await explain(await served.github.sign(claims));
    expect(explained).toMatchObject({ verified: false, problem: expect.stringMatching(/^exp is/) as string });
    expect((explained['publishers'] as Json[]).every((one) => one['token'] === null)).toBe(true);
  });

  it('says which text is no ID token, and which issuer is not accepted', async () => {
    expect(await explain('nothing')).toMatchObject({ verified: false, issuer: null, publishers: [] });
    const foreign = await served.github.sign(gitlabClaims({ issuer: 'https://other.example.org', nowMs }));
    expect(await explain(foreign)).toMatchObject({ problem: expect.stringMatching(/^iss is/) as string });
  });
});

describe('GET /api/oidc/audience', () => {
  it('is the address of the registry, for everybody', async () => {
    const reply = await served.registry.call('GET', '/api/oidc/audience');
    expect(reply.json()).toEqual({ audience: 'https://packages.test' });
  });

  it('says how to set the address where it is not known, and nothing can be exchanged', async () => {
    await using nameless = await startPublishingRegistry(() => nowMs, {});
    const replies = [
      await nameless.registry.call('GET', '/api/oidc/audience'),
      await nameless.exchange(await nameless.github.sign(githubClaims({ issuer: nameless.github.url, nowMs }))),
    ];
    for (const reply of replies) {
      expect([reply.status, reply.json()['code']]).toEqual([400, 'NOT_AVAILABLE']);
      expect(reply.json()['error']).toContain('publicUrl');
    }
  });
});
