// Tests artifacts over HTTP: the real builder publishes them in a process of its own.

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeLock } from '../../../build/output/lock.ts';
import { verifyAudit } from '../../../proxy/state/audit.ts';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { publishedVersions } from '../../util/published-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let nowMs = Date.now();
let writer = '';
let keeper = '';
beforeAll(demandCompiled);
beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
  writer = await registry.createToken('write');
  keeper = (await registry.signIn('maintainer')).token;
});
afterAll(() => registry[Symbol.asyncDispose]());

const zip = (name: string, fields: Readonly<Record<string, unknown>> = {}, content = name): Buffer =>
  zipOf([
    { name: 'composer.json', data: JSON.stringify({ name, description: 'for tests', license: 'MIT', ...fields }) },
    { name: 'src/a.php', data: `<?php // ${content}` },
  ]);

const upload = (
  body: Buffer,
  query = '',
  headers: Readonly<Record<string, string>> = {},
  as = writer,
): Promise<Reply> =>
  registry.proxy.send(
    'POST',
    `/api/artifacts${query}`,
    { authorization: as === '' ? '' : `Bearer ${as}`, 'content-type': 'application/zip', ...headers },
    body,
  );

const formOf = (...files: readonly Buffer[]): Buffer =>
  Buffer.concat([
    ...files.map((file) =>
      Buffer.concat([
        Buffer.from(
          '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\nContent-Type: application/zip\r\n\r\n',
        ),
        file,
        Buffer.from('\r\n'),
      ]),
    ),
    Buffer.from('--b--\r\n'),
  ]);
const asForm = { 'content-type': 'multipart/form-data; boundary=b' };
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code']];
const idOf = (reply: Reply): string => String(reply.json()['id']);
const published = (): Readonly<Record<string, unknown>> => publishedVersions(registry.data);
const staged = (): readonly string[] => readdirSync(join(registry.data, 'artifacts/.staging'));
const hour = 3_600_000;

describe('POST /api/artifacts', () => {
  it('an uploaded ZIP is published before the answer is sent', async () => {
    const bytes = zip('acme/first', { version: '1.2.0' });
    const reply = await upload(bytes);
    expect(reply.status, reply.body.toString()).toBe(201);
    const [sha256, record] = [createHash('sha256').update(bytes).digest('hex'), reply.json()];
    expect(record).toEqual({
      id: expect.stringMatching(/^art_[0-9A-Za-z]{16}$/) as string,
      name: 'acme/first',
      version: '1.2.0',
      version_normalized: '1.2.0.0',
      reference: sha256.slice(0, 40),
      sha256,
      sha1: createHash('sha1').update(bytes).digest('hex'),
      size: bytes.length,
      url: '/dist/acme/first/1.2.0.zip',
      status: 'published',
      created_at: new Date(nowMs).toISOString(),
      created_by: expect.stringMatching(/^token:tok_/) as string,
      retired_at: null,
      published_from: null,
      notices: [],
    });
    expect(published()['acme/first@1.2.0']).toMatchObject({ reference: record['reference'], shasum: record['sha1'] });
    expect(staged()).toEqual([]);
  });

  it('the same bytes again get the same record with 200', async () => {
    const bytes = zip('acme/again', { version: '1.0.0' });
    const first = await upload(bytes);
    const second = await upload(bytes);
    expect([first.status, second.status, second.json()]).toEqual([201, 200, first.json()]);
  });

  it('the request gives the version where composer.json has none, also one with a slash', async () => {
    const reply = await upload(zip('acme/told'), '?version=dev-feature/x');
    expect([reply.status, reply.json()['version'], reply.json()['url']]).toEqual([
      201,
      'dev-feature/x',
      '/dist/acme/told/dev-feature/x.zip',
    ]);
    expect(codeOf(await upload(zip('acme/untold')))).toEqual([400, 'ARTIFACT_INVALID']);
  });

  it('a form with one file is accepted, and a form with none, with two or that is cut off is refused', async () => {
    const reply = await upload(formOf(zip('acme/form', { version: '1.0.0' })), '', asForm, keeper);
    expect([reply.status, reply.json()['name'], reply.json()['created_by']]).toEqual([
      201,
      'acme/form',
      expect.stringMatching(/^user:usr_/),
    ]);
    const bytes = zip('acme/form', { version: '2.0.0' });
    expect(codeOf(await upload(formOf(), '', asForm))).toEqual([400, 'BAD_REQUEST']);
    expect(codeOf(await upload(formOf(bytes, bytes), '', asForm))).toEqual([400, 'BAD_REQUEST']);
    expect(codeOf(await upload(formOf(bytes).subarray(0, -20), '', asForm))).toEqual([400, 'BAD_REQUEST']);
    expect(
      codeOf(await upload(formOf(bytes, bytes).subarray(0, -20), '', asForm)),
      'a second file that breaks off',
    ).toEqual([400, 'BAD_REQUEST']);
    expect(codeOf(await upload(bytes, '', { 'content-type': 'multipart/form-data' }))).toEqual([400, 'BAD_REQUEST']);
    expect(published()['acme/form@2.0.0']).toBeUndefined();
    expect(staged()).toEqual([]);
  });

  it('other content of a release, withdrawn or not, is refused, and the published content stays', async () => {
    const first = await upload(zip('acme/fixed', { version: '1.0.0' }));
    const before = published();
    const other = zip('acme/fixed', { version: '1.0.0' }, 'other');
    expect(codeOf(await upload(other))).toEqual([400, 'VERSION_EXISTS']);
    expect(codeOf(await upload(zip('acme/fixed', { version: 'v1.0.0' })))).toEqual([400, 'VERSION_EXISTS']);
    expect(published()).toEqual(before);
    await registry.call('DELETE', `/api/artifacts/${idOf(first)}`, { as: keeper });
    expect(codeOf(await upload(other))).toEqual([400, 'VERSION_EXISTS']);
  });

  it('new content of a dev version supersedes the former artifact, which can return with its bytes', async () => {
    const [one, two] = [zip('acme/dev', {}, 'one'), zip('acme/dev', {}, 'two')];
    const first = await upload(one, '?version=dev-main');
    const second = await upload(two, '?version=dev-main');
    const statusOf = async (reply: Reply): Promise<unknown> =>
      (await registry.call('GET', `/api/artifacts/${idOf(reply)}`, { as: writer })).json()['status'];
    expect([second.status, await statusOf(first), await statusOf(second)]).toEqual([201, 'superseded', 'published']);
    const third = await upload(one, '?version=dev-main');
    expect([third.status, idOf(third), await statusOf(first), await statusOf(second)]).toEqual([
      201,
      idOf(first),
      'published',
      'superseded',
    ]);
    expect(published()['acme/dev@dev-main']).toMatchObject({ reference: first.json()['reference'] });
  });

  it('an invalid package ZIP is refused with its reason, and so is a file that is no ZIP', async () => {
    expect(codeOf(await upload(Buffer.from('nothing of the kind')))).toEqual([400, 'ARTIFACT_INVALID']);
    expect(codeOf(await upload(zipOf([{ name: 'readme.md', data: 'x' }])))).toEqual([400, 'ARTIFACT_INVALID']);
    const invalid = await upload(zip('acme/bad', { version: '1.0.0', require: { 'acme/x': 'no constraint' } }));
    expect(codeOf(invalid)).toEqual([400, 'ARTIFACT_INVALID']);
    expect(invalid.body.toString()).not.toContain(registry.data);
    expect(codeOf(await upload(Buffer.alloc(0)))).toEqual([400, 'BAD_REQUEST']);
    expect(codeOf(await upload(Buffer.from('{}'), '', { 'content-type': 'application/json' }))).toEqual([
      400,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
    expect(codeOf(await upload(zip('acme/bad'), '?nonsense=1'))).toEqual([400, 'INVALID_INPUT']);
    expect(staged()).toEqual([]);
  });

  it('bytes that differ from the announced checksum are refused', async () => {
    const bytes = zip('acme/digest', { version: '1.0.0' });
    const digest = createHash('sha256').update(bytes).digest();
    expect(codeOf(await upload(bytes, `?sha256=${'0'.repeat(64)}`))).toEqual([400, 'BAD_REQUEST']);
    const wrong = `sha-256=:${randomBytes(32).toString('base64')}:`;
    for (const header of [wrong, 'nonsense', 'sha-256=:AAAA:', `sha-256=${digest.toString('hex')}`, 'a=:AA==:, b'])
      expect(codeOf(await upload(bytes, '', { 'content-digest': header }))).toEqual([400, 'BAD_REQUEST']);
    expect(published()['acme/digest@1.0.0']).toBeUndefined();
    const right = { 'content-digest': `sha-512=:AA==:, sha-256=:${digest.toString('base64')}:` };
    expect((await upload(bytes, `?sha256=${digest.toString('hex')}`, right)).status).toBe(201);
  });

  it('write tokens, admins and maintainers may upload', async () => {
    const bytes = zip('acme/rights', { version: '1.0.0' });
    expect(codeOf(await upload(bytes, '', {}, ''))).toEqual([401, 'AUTHENTICATION_REQUIRED']);
    expect(codeOf(await upload(bytes, '', {}, await registry.createToken('read')))).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
    ]);
    expect(codeOf(await upload(bytes, '', {}, (await registry.signIn('viewer')).token))).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
    ]);
  });
});

describe('row 65: simultaneous uploads', () => {
  it('row 65: of two uploads of one version at once one wins, the other is refused', async () => {
    const replies = await Promise.all(
      ['one', 'two'].map((content) => upload(zip('acme/race', { version: '1.0.0' }, content))),
    );
    expect(replies.map(codeOf).sort()).toEqual([
      [201, undefined],
      [400, 'VERSION_EXISTS'],
    ]);
    const winner = replies.find(({ status }) => status === 201)?.json();
    expect(published()['acme/race@1.0.0']).toMatchObject({ reference: winner?.['reference'] });
  });

  it('of the same bytes give one artifact', async () => {
    const bytes = zip('acme/twin', { version: '1.0.0' });
    const replies = await Promise.all([upload(bytes), upload(bytes)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(new Set(replies.map(idOf)).size).toBe(1);
  });
});

it('an upload waits for a running build, also while its connection is silent', async () => {
  await using patient = await runManagement({ limits: { stallTimeoutMs: 150 } });
  const as = await patient.createToken('write');
  const lock = await takeLock(join(patient.data, 'build/lock'), () => new Date());
  const waiting = patient.proxy.send(
    'POST',
    '/api/artifacts',
    { authorization: `Bearer ${as}`, 'content-type': 'application/zip' },
    zip('acme/patient', { version: '1.0.0' }),
  );
  await sleep(300); // twice the time limit of a silent connection
  await lock.release();
  expect((await waiting).status).toBe(201);
});

describe('GET /api/artifacts', () => {
  it('artifacts are listed oldest first, by package, in pages', async () => {
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
      nowMs += 1000;
      expect((await upload(zip('acme/list', { version }))).status).toBe(201);
    }
    const first = (await registry.call('GET', '/api/artifacts?name=acme/list&limit=2', { as: writer })).json() as {
      data: { version: string }[];
      next_cursor: string;
    };
    const rest = (
      await registry.call('GET', `/api/artifacts?name=acme/list&limit=2&cursor=${first.next_cursor}`, { as: writer })
    ).json() as typeof first;
    expect([
      first.data.map(({ version }) => version),
      rest.data.map(({ version }) => version),
      rest.next_cursor,
    ]).toEqual([['1.0.0', '1.1.0'], ['1.2.0'], null]);
    expect((await registry.call('GET', '/api/artifacts')).status).toBe(401);
  });

  it('an unknown id is 404', async () => {
    for (const method of ['GET', 'DELETE'] as const)
      expect(codeOf(await registry.call(method, '/api/artifacts/art_0123456789abcdef', { as: keeper }))).toEqual([
        404,
        'NOT_FOUND',
      ]);
  });
});

describe('DELETE /api/artifacts/{id}', () => {
  it('the version is withdrawn, once or twice with the same result; its archive stays, and the same bytes can return', async () => {
    const bytes = zip('acme/gone', { version: '1.0.0' });
    const id = idOf(await upload(bytes));
    const [one, two] = await Promise.all([
      registry.call('DELETE', `/api/artifacts/${id}`, { as: keeper }),
      registry.call('DELETE', `/api/artifacts/${id}`, { as: keeper }),
    ]);
    const again = await registry.call('DELETE', `/api/artifacts/${id}`, { as: keeper });
    for (const reply of [one, two, again]) expect([reply.status, reply.json()['status']]).toEqual([200, 'withdrawn']);
    expect(published()['acme/gone@1.0.0']).toBeUndefined();
    expect(existsSync(join(registry.data, 'public/dist/acme/gone/1.0.0.zip'))).toBe(true);
    const back = await upload(bytes);
    expect([back.status, idOf(back), back.json()['status'], back.json()['retired_at']]).toEqual([
      201,
      id,
      'published',
      null,
    ]);
    expect(published()['acme/gone@1.0.0']).toBeDefined();
  });

  it('tokens may not withdraw', async () =>
    expect(codeOf(await registry.call('DELETE', '/api/artifacts/art_0123456789abcdef', { as: writer }))).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
    ]));
});

describe('POST /api/artifacts/cleanup', () => {
  const cleanUp = async (
    body: object,
  ): Promise<{ artifacts: { id: string }[]; leftovers: { file: string }[]; bytes: number; dry_run: boolean }> => {
    const reply = await registry.call('POST', '/api/artifacts/cleanup', { as: keeper, body });
    expect(reply.status, reply.body.toString()).toBe(200);
    return reply.json() as never;
  };

  it('row 67: a cleanup is a dry run by default, and never removes published or recent artifacts', async () => {
    const bytes = zip('acme/old', { version: '1.0.0' });
    const id = idOf(await upload(bytes));
    const stays = idOf(await upload(zip('acme/old', { version: '2.0.0' })));
    await registry.call('DELETE', `/api/artifacts/${id}`, { as: keeper });
    const leftover = join(registry.data, 'artifacts/.staging/upload-cut-off.zip');
    writeFileSync(leftover, 'half');
    utimesSync(leftover, 0, 0);
    // younger than an hour
    expect((await cleanUp({ retention_days: 0, dry_run: false })).artifacts.map((one) => one.id)).not.toContain(id);

    nowMs += 2 * hour;
    // within its retention
    expect((await cleanUp({ retention_days: 1 })).artifacts.map((one) => one.id)).not.toContain(id);
    const dry = await cleanUp({ retention_days: 0 });
    expect([dry.dry_run, dry.leftovers.map(({ file }) => file)]).toEqual([true, ['.staging/upload-cut-off.zip']]);
    expect(dry.artifacts.map((one) => one.id)).toContain(id);
    expect(dry.artifacts.map((one) => one.id)).not.toContain(stays);
    expect(existsSync(leftover)).toBe(true);

    const before = published();
    const went = await cleanUp({ retention_days: 0, dry_run: false });
    expect(went).toEqual({ ...dry, dry_run: false });
    expect(existsSync(leftover)).toBe(false);
    expect(readdirSync(join(registry.data, 'artifacts/.retired'))).toEqual([]);
    expect(published()).toEqual(before);
    expect(existsSync(join(registry.data, 'public/dist/acme/old/1.0.0.zip'))).toBe(true);
    expect((await registry.call('GET', `/api/artifacts/${id}`, { as: keeper })).status).toBe(404);
    expect((await cleanUp({ retention_days: 0, dry_run: false })).artifacts).toEqual([]);
    expect(codeOf(await upload(zip('acme/old', { version: '1.0.0' }, 'other')))).toEqual([400, 'VERSION_EXISTS']);
    expect((await upload(bytes)).status).toBe(201);
  });

  it('row 67: a cleanup never removes an artifact that a published document names, whatever its record contains', async () => {
    const id = idOf(await upload(zip('acme/wrongly', { version: '1.0.0' })));
    const entry = await registry.state.get(`artifact/${id}`);
    const wrong = { ...(entry?.value as object), status: 'withdrawn', retired_at: '2020-01-01T00:00:00.000Z' };
    await registry.state.commit({ conditions: [], puts: [{ key: `artifact/${id}`, value: wrong }], deletes: [] });
    expect((await cleanUp({ retention_days: 0, dry_run: false })).artifacts.map((one) => one.id)).not.toContain(id);
    expect(existsSync(join(registry.data, 'artifacts/acme/wrongly/acme-wrongly-1.0.0.zip'))).toBe(true);
  });

  it('a cleanup keeps artifacts for the time of the setting unless the request gives one, and tokens may not start it', async () => {
    const id = idOf(await upload(zip('acme/kept', { version: '1.0.0' })));
    await registry.call('DELETE', `/api/artifacts/${id}`, { as: keeper });
    nowMs += 29 * 24 * hour;
    keeper = (await registry.signIn('maintainer')).token; // the former session has expired
    expect((await cleanUp({})).artifacts.map((one) => one.id)).not.toContain(id);
    await registry.services.settings.update({ 'retention.artifacts_days': 28 }, 'cli:test');
    expect((await cleanUp({})).artifacts.map((one) => one.id)).toContain(id);
    expect(
      codeOf(await registry.call('POST', '/api/artifacts/cleanup', { as: writer, body: { retention_days: 1 } })),
    ).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  it('a version that was withdrawn from its package stays, is marked in its artifact, and can be restored', async () => {
    const id = idOf(await upload(zip('acme/by-hand', { version: '1.0.0' })));
    nowMs += 1000;
    const other = idOf(await upload(zip('acme/by-hand', { version: '1.1.0' })));
    expect((await registry.call('DELETE', '/api/packages/acme/by-hand/versions/1.0.0', { as: keeper })).status).toBe(
      200,
    );
    expect((await registry.call('GET', `/api/artifacts/${id}`, { as: writer })).json()).toMatchObject({
      status: 'withdrawn',
      retired_at: expect.any(String) as string,
    });
    const listed = (await registry.call('GET', '/api/artifacts?name=acme/by-hand', { as: writer })).json()['data'];
    expect(listed).toMatchObject([
      { id, status: 'withdrawn', retired_at: expect.any(String) as string },
      { id: other, status: 'published', retired_at: null },
    ]);
    expect(codeOf(await upload(zip('acme/by-hand', { version: '1.0.0' })))).toEqual([400, 'VERSION_EXISTS']);
    nowMs += 2 * hour;
    await cleanUp({ retention_days: 0, dry_run: false });
    expect(
      (await runCli(['package', 'restore', 'acme/by-hand', '1.0.0', '--data', registry.data], { cwd: registry.data }))
        .exitCode,
    ).toBe(0);
    expect((await registry.call('GET', `/api/artifacts/${id}`, { as: writer })).json()).toMatchObject({
      status: 'published',
      retired_at: null,
    });
    expect(published()['acme/by-hand@1.0.0']).toBeDefined();
  });
});

it('every change is in the audit log', async () => {
  expect(await verifyAudit(registry.state)).toMatchObject({ sound: true });
  const actions = (await registry.state.range('audit/event/')).map(({ value }) => (value as { action: string }).action);
  expect(actions).toEqual(expect.arrayContaining(['artifact.publish', 'artifact.withdraw', 'artifact.cleanup']));
});
