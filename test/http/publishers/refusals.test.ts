// Tests what a job reads when it is refused: the claim and what was expected, and nothing of packages or of publishers
// of other repositories. And the limits: exchanges of a publisher, and failures of a network.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { githubClaims, gitlabClaims } from '../../util/publisher-claims.ts';
import { startPublishingRegistry, type PublishingRegistry } from '../../util/publishing-registry.ts';
import type { Reply } from '../../util/running-proxy.ts';

type Json = Record<string, unknown>;
let nowMs = Date.parse('2026-11-27T10:00:00Z');
let served: PublishingRegistry;

beforeEach(async () => {
  served = await startPublishingRegistry(() => nowMs);
});
afterEach(() => served[Symbol.asyncDispose]());

const github = async (over: object = {}, more: object = {}): Promise<Reply> =>
  served.exchange(await served.github.sign(githubClaims({ issuer: served.github.url, nowMs }, over)), more);
const gitlab = async (over: object = {}): Promise<Reply> =>
  served.exchange(await served.gitlab.sign(gitlabClaims({ issuer: served.gitlab.url, nowMs }, over)));
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code'] ?? null];
const mismatchesOf = (reply: Reply): unknown =>
  ((reply.json()['details'] as Json)['mismatches'] as Json[] | undefined)?.map(({ claim, found }) => [claim, found]);
const publishing = { issuer: 'github', purpose: 'publish', repository: 'acme/app', packages: ['acme/hidden-package'] };

describe('a refused job', () => {
  it('of a repository without a publisher reads its own name, and nothing of others', async () => {
    const own = await served.publisher({ ...publishing, claims: { secret_claim: 'hidden-value' } });
    const reply = await github({ repository: 'evil/app', repository_id: '9' });
    expect(codeOf(reply)).toEqual([403, 'PUBLISHER_MISMATCH']);
    expect(reply.json()['error']).toContain(
      'There is no trusted publisher of this repository (repository is "evil/app")',
    );
    for (const hidden of ['hidden', 'acme', String(own['id']), 'secret_claim'])
      expect(reply.body.toString()).not.toContain(hidden);
    // also when it guesses the id of the publisher
    const guessed = await github({ repository: 'evil/app', repository_id: '9' }, { publisher: own['id'] });
    expect([guessed.status, guessed.json()['error']]).toEqual([403, reply.json()['error']]);
    const unknown = await github({ repository: 'evil/app', repository_id: '9' }, { publisher: 'pub_0000000000000000' });
    expect(unknown.json()).toEqual(guessed.json());
  });

  it('reads each claim that did not match with what was expected, and no package', async () => {
    await served.publisher({ ...publishing, workflow: 'release.yml', environment: 'production', refs: 'tags' });
    const reply = await github({
      ref: 'refs/heads/main',
      ref_type: 'branch',
      job_workflow_ref: 'acme/app/.github/workflows/test.yml@refs/heads/main',
    });
    expect(mismatchesOf(reply)).toEqual([
      ['job_workflow_ref', 'acme/app/.github/workflows/test.yml@refs/heads/main'],
      ['environment', 'release'],
      ['ref', 'refs/heads/main'],
    ]);
    expect(reply.json()['error']).toMatch(
      /environment is "release"; expected: production\. ref is .*expected: a tag\./,
    );
    expect(reply.body.toString()).not.toContain('hidden');
  });

  it.each([
    ['pull_request_target', ['event_name', 'pull_request_target']],
    ['workflow_run', ['event_name', 'workflow_run']],
    ['issue_comment', ['event_name', 'issue_comment']],
    ['issues', ['event_name', 'issues']],
    ['discussion', ['event_name', 'discussion']],
  ])('of the event %s is refused, whatever the rules are', async (event_name, mismatch) => {
    await served.publisher({ ...publishing, refs: 'any' });
    expect(mismatchesOf(await github({ event_name }))).toEqual([mismatch]);
  });

  it('of a reusable workflow is refused by default, and accepted where the publisher trusts the caller', async () => {
    const { id } = await served.publisher({ ...publishing, workflow: 'release.yml' });
    const reused = { job_workflow_ref: 'others/ci/.github/workflows/release.yml@refs/heads/main' };
    expect(mismatchesOf(await github(reused))).toEqual([['job_workflow_ref', reused.job_workflow_ref]]);
    const body = { workflow_claim: 'caller' };
    await served.registry.call('PATCH', `/api/publishers/${String(id)}`, { as: served.admin, body });
    expect((await github(reused)).status).toBe(201);
  });

  it('of a merge request or of a fork is refused at GitLab', async () => {
    await served.publisher({ ...publishing, issuer: 'gitlab', repository: 'acme/tools/lib', refs: 'any' });
    expect(mismatchesOf(await gitlab({ pipeline_source: 'merge_request_event' }))).toEqual([
      ['pipeline_source', 'merge_request_event'],
    ]);
    const ref = { ref_path: 'refs/merge-requests/3/head', ref: '3/head', ref_type: 'branch', ref_protected: 'true' };
    for (const pipeline_source of ['push', 'parent_pipeline'])
      expect(mismatchesOf(await gitlab({ ...ref, pipeline_source }))).toEqual([
        ['ref_path', 'refs/merge-requests/3/head'],
      ]);
    // a fork names itself, and runs in the target project
    expect(mismatchesOf(await gitlab({ project_id: '666' }))).toEqual([['job_project_id', '300']]);
    expect((await gitlab()).status).toBe(201);
  });
});

describe('the ids of a repository', () => {
  it('are learnt by the first accepted exchange alone, and then count instead of the name', async () => {
    const { id } = await served.publisher(publishing);
    const shown = async (): Promise<Json> =>
      (await served.registry.call('GET', `/api/publishers/${String(id)}`, { as: served.admin })).json();
    expect((await github({ repository_id: '666', ref_type: 'branch' })).status).toBe(403);
    expect(await shown()).toMatchObject({ ids: 'unknown', repository_id: null });
    expect((await github({ repository: 'Acme/App' })).status).toBe(201);
    expect(await shown()).toMatchObject({
      ids: 'learnt',
      repository_id: '1001',
      owner_id: '77',
      ids_learnt_at: new Date(nowMs).toISOString(),
    });
    const resurrected = await github({ repository_id: '2002', repository_owner_id: '78' });
    expect(mismatchesOf(resurrected)).toEqual([
      ['repository_id', '2002'],
      ['repository_owner_id', '78'],
    ]);
    expect((await github({ repository: 'acme/renamed' })).status).toBe(201);
    const body = { repository: 'acme/moved' };
    await served.registry.call('PATCH', `/api/publishers/${String(id)}`, { as: served.admin, body });
    expect(await shown()).toMatchObject({ ids: 'unknown', repository_id: null, owner_id: null });
  });
});

describe('several publishers that accept a job', () => {
  it('are told apart by the purpose, or by the id', async () => {
    const publish = await served.publisher(publishing);
    const read = await served.publisher({ ...publishing, purpose: 'read' });
    const reply = await github();
    expect(codeOf(reply)).toEqual([400, 'CONFLICT']);
    const named = (reply.json()['details'] as Json)['publishers'] as string[];
    expect(named.toSorted()).toEqual([String(publish['id']), String(read['id'])].toSorted());
    expect(reply.body.toString()).not.toContain('hidden');
    expect((await github({}, { purpose: 'read' })).json()).toMatchObject({ kind: 'read', publisher: read['id'] });
    expect((await github({}, { publisher: publish['id'] })).json()).toMatchObject({ kind: 'write' });
  });

  it('are named to a job that asks for another purpose', async () => {
    const { id } = await served.publisher({ ...publishing, repository: 'acme/alone', repository_id: '77' });
    const reply = await github({ repository: 'acme/alone', repository_id: '77' }, { purpose: 'read' });
    expect(codeOf(reply)).toEqual([403, 'PUBLISHER_MISMATCH']);
    expect(reply.json()['error']).toContain(`It is accepted by ${String(id)} (publish).`);
  });
});

describe('the limits', () => {
  it('of a publisher count its exchanges each hour, also those that come at once', async () => {
    await served.publisher({ ...publishing, exchanges_per_hour: 5 });
    const replies = await Promise.all(Array.from({ length: 12 }, () => github()));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 201),
      ...Array.from({ length: 7 }, () => 429),
    ]);
    const refused = await github();
    expect([refused.json()['code'], refused.headers['retry-after']]).toEqual(['RATE_LIMIT_EXCEEDED', '3600']);
    nowMs += 3_600_000;
    expect((await github()).status).toBe(201);
  });

  it('of a network count failures, and let good tokens pass', async () => {
    await served.publisher({ ...publishing, exchanges_per_hour: 1000 });
    const statuses = [];
    for (let at = 0; at < 101; at += 1) statuses.push((await served.exchange(`x${at}`)).status);
    expect([statuses.filter((one) => one === 403).length, statuses.at(-1)]).toEqual([100, 429]);
    expect((await github()).status).toBe(201);
    nowMs += 60_000;
    expect((await served.exchange('x')).status).toBe(403);
  });
});
