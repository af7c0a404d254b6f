// Tests `token explain` for mirrored packages, by the command and by the API of the running service.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

let upstream: TestUpstream;
let registry: ManagedRegistry;
let [id, token] = ['', ''];
beforeAll(async () => {
  upstream = await startUpstream({ minified: true });
  const release = (version: string, day: string) => ({ version, extra: { time: `${day}T00:00:00+00:00` } });
  upstream.put('some/lib', [
    release('2.0.0', '2026-01-03'),
    release('1.5.0', '2026-03-01'),
    release('1.0.0', '2026-01-01'),
  ]);
  upstream.put('other/lib', [release('1.0.0', '2026-01-01')]);
  registry = await startManagedRegistry({
    egress: { allow: ['127.0.0.0/8'] },
    sources: [{ type: 'composer', url: upstream.url, except: ['shut/*'] }],
  });
  await registry.cli('build');
  const made = await registry.api('POST', '/api/tokens', {
    description: 'a customer',
    kind: 'read',
    packages: ['some/*', 'shut/*'],
    constraints: { 'some/*': '<2' },
    stability: 'stable',
    not_after: '2026-02-01',
  });
  [id, token] = [String(made.json['id']), String(made.json['token'])];
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** The common result of both, in short. */
async function explain(name: string, version?: string): Promise<object> {
  const { exitCode, stdout, stderr } = await registry.cli(
    'token',
    'explain',
    id,
    name,
    ...(version === undefined ? [] : [version]),
    '--json',
  );
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as { seen: boolean; mirrored: boolean; reasons: { code: string }[] };
  const { status, json } = await registry.api(
    'GET',
    `/api/tokens/${id}/explain?package=${name}${version === undefined ? '' : `&version=${version}`}`,
  );
  expect([status, json]).toEqual([200, report]);
  expect(exitCode).toBe(report.seen ? 0 : 1);
  return [report.seen, report.mirrored, report.reasons.map(({ code }) => code)];
}

it('token explain uses the limits alone while no document is stored, and makes no request', async () => {
  expect(await explain('some/lib')).toEqual([true, true, []]);
  expect(await explain('some/lib', '1.5.0')).toEqual([true, true, []]);
  expect(await explain('some/lib', '2.0.0')).toEqual([false, true, ['constraints']]);
  expect(await explain('some/lib', '1.0.0-beta1')).toEqual([false, true, ['stability']]);
  expect(await explain('other/lib')).toEqual([false, true, ['packages']]);
  expect(await explain('other/lib', '1.0.0')).toEqual([false, true, ['packages']]);
  expect((await registry.cli('token', 'explain', id, 'some/lib')).stdout).toContain(
    'is mirrored. Only its name was checked; each version is checked when a client requests it.',
  );
  expect((await registry.cli('token', 'explain', id, 'some/lib', '1.5.0')).stdout).toMatch(
    /Only the version number was checked;[^]*1\.5\.0 +mirrored +unknown +yes/,
  );
  expect(upstream.asked('/p2/')).toBe(0);
});

it('token explain answers a name of no repository like any unpublished name', async () => {
  expect(await explain('shut/door')).toEqual([false, false, ['not_published']]);
});

it('token explain uses the release time too once the document is stored, and agrees with p2', async () => {
  const reply = await fetch(`${registry.url()}/p2/some/lib.json`, { headers: { authorization: `Bearer ${token}` } });
  const { packages } = (await reply.json()) as { packages: Record<string, Record<string, { version: string }>> };
  expect(Object.values(packages['some/lib'] ?? {}).map(({ version }) => version)).toEqual(['1.0.0']);
  // the server stores the document after its answer
  await expect
    .poll(() => registry.cli('token', 'explain', id, 'some/lib', '1.5.0'), { timeout: 60_000 })
    .toMatchObject({ exitCode: 1 });
  expect(await explain('some/lib', '1.0.0')).toEqual([true, true, []]);
  expect(await explain('some/lib', '1.5.0')).toEqual([false, true, ['not_after']]);
  expect(await explain('some/lib', '2.0.0')).toEqual([false, true, ['constraints']]);
  expect((await registry.cli('token', 'explain', id, 'some/lib', '1.5')).stdout).toMatch(
    /^1\.5\.0 +mirrored +2026-03-01T00:00:00\.000Z +no +not_after$/m,
  );
  await registry.api('DELETE', `/api/tokens/${id}`);
  expect(await explain('some/lib', '1.0.0')).toEqual([false, true, ['revoked']]);
});
