// I26. Tests the feeds of the policy with the shipped program: a server that asks a database like OSV, and commands
// that read its copies. What a feed blocked once stays blocked while the feed is away or empty, until a person accepts
// its list.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withChecksum } from '../../../build/contract/checksum.ts';
import { advisory, startAdvisoryFeed, type AdvisoryFeed } from '../../util/advisory-feed.ts';
import { archiveFor } from '../../util/mirroring-registry.ts';
import { below, temporaryTree } from '../../util/package-tree.ts';
import { startRegistry, type Registry } from '../../util/registry.ts';
import { startUpstream, type TestUpstream } from '../../util/upstream.ts';
import { whoLibrary } from '../../util/who-library.ts';
import { itInSeries } from '../../util/series.ts';

const rule = { name: 'advisories', rule: 'advisories', severity: 'high', action: 'block' };

let osv: AdvisoryFeed;
let upstream: TestUpstream;
/** against hanging */
const patient = { timeout: 60_000 };
let registry: Registry;

beforeAll(async () => {
  osv = await startAdvisoryFeed();
  osv.advisories.set('GHSA-1', advisory('GHSA-1', 'some/lib', '2.0.0', { database_specific: { severity: 'HIGH' } }));
  upstream = await startUpstream();
  upstream.put('some/lib', [
    { version: '1.0.0', zip: archiveFor('1.0.0') },
    { version: '2.0.0', zip: archiveFor('2.0.0') },
  ]);
  const settings = { egress: { allow: ['127.0.0.0/8'] }, osv: { names: 'mirrored', url: osv.url } };
  registry = await startRegistry({
    sources: [temporaryTree(below('acme/app', whoLibrary('acme/app', '1.0.0'))).root],
    settings: { 'mirroring.enabled': 'true', 'mirroring.url': upstream.url },
    prepare: (folder) => writeFileSync(folder.at('libretto.json'), JSON.stringify(settings)),
  });
  writeFileSync(registry.folder.at('policy.json'), JSON.stringify({ rules: [rule] }));
});
afterAll(async () => {
  await registry.stop();
  await upstream[Symbol.asyncDispose]();
  await osv[Symbol.asyncDispose]();
});

const get = (path: string): Promise<Response> =>
  fetch(`${registry.direct()}${path}`, { headers: { authorization: `Bearer ${registry.token}` } });
interface OfferedVersion {
  readonly version: string;
  readonly dist: { readonly url: string };
}

/** version → the path of its archive, from documents so far */
const archives = new Map<string, string>();
const offered = async (name = 'some/lib'): Promise<readonly string[]> => {
  const { packages } = (await (await get(`/p2/${name}.json`)).json()) as {
    readonly packages: Record<string, Record<string, OfferedVersion>>;
  };
  const versions = Object.values(packages[name] ?? {});
  for (const { version, dist } of versions) archives.set(version, new URL(dist.url, registry.direct()).pathname);
  return versions.map(({ version }) => version);
};
const archive = async (version: string): Promise<readonly [number, string]> => {
  const reply = await get(archives.get(version) ?? '/unknown');
  return [reply.status, reply.status === 200 ? '' : await reply.text()];
};
const refused = [410, expect.stringMatching(/VERSION_BLOCKED/)];
const json = async <Document = unknown>(...args: readonly string[]): Promise<Document> =>
  JSON.parse((await registry.cli(...args, '--json')).stdout) as Document;
const feed = async (): Promise<Record<string, unknown> | undefined> =>
  (await json<{ readonly feeds: readonly Record<string, unknown>[] }>('policy', 'feeds')).feeds[0];
const doctor = async (): Promise<readonly object[]> => {
  const { checks } = await json<{ readonly checks: readonly { readonly check: string }[] }>('doctor');
  return checks.filter(({ check }) => check === 'policy.feed');
};

/** As if the feed had failed since then, was asked last then, and was never read completely. */
function failsSince(daysAgo: number): string {
  const copy = `${registry.data}/feeds/osv.ndjson`;
  writeFileSync(copy, readFileSync(copy, 'utf8').replace(/"fetched_at":(?:null|"[^"]*")/, '"fetched_at":null'));
  const path = `${registry.data}/feeds/standing.json`;
  const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  const feeds = { osv: { tried_at: at, failing_since: at, problem: 'It did not answer.' } };
  writeFileSync(path, withChecksum(JSON.stringify({ format: 1, feeds }, null, 1)));
  return at;
}

it('without a rule that reads lists, nobody is asked', async () => {
  expect(await offered()).toEqual(['1.0.0', '2.0.0']);
  expect([osv.requests, await doctor()]).toEqual([[], []]);
});

it('a rule about advisories blocks a version at the first request, and OSV learns no private name', async () => {
  expect(await registry.cli('policy', 'set', 'policy.json')).toMatchObject({ exitCode: 0 });
  expect([await offered(), await archive('1.0.0')]).toEqual([['2.0.0'], refused]);
  expect((await archive('2.0.0'))[0]).toBe(200);
  expect(new Set(osv.asked())).toEqual(new Set(['some/lib']));
});

it('the version stays blocked after a restart while OSV is away, and commands say the same without a server', async () => {
  osv.instead('/', (_request, response) => void response.destroy());
  await registry.stopServer();
  const copy = readFileSync(`${registry.data}/feeds/osv.ndjson`, 'utf8');
  expect(copy).toContain('GHSA-1');
  const asked = osv.requests.length;
  expect(await json('policy', 'explain', 'some/lib', '1.0.0')).toMatchObject({
    outcome: 'blocked',
    findings: [{ rule: 'advisories', because: expect.stringContaining('GHSA-1') }],
  });
  expect(await json('why', 'some/lib', '1.0.0')).toMatchObject({ policy: { outcome: 'blocked' } });
  writeFileSync(registry.folder.at('warn.json'), JSON.stringify({ rules: [{ ...rule, action: 'warn' }] }));
  expect(await json('policy', 'test', 'warn.json')).toMatchObject({
    versions: [{ name: 'some/lib', version: '1.0.0', action: 'warn' }],
  });
  expect(await feed()).toMatchObject({ id: 'osv', url: osv.url, rows: 1, shrunk: null });
  expect(osv.requests).toHaveLength(asked);
  await registry.startServer();
  expect([await offered(), await archive('1.0.0')]).toEqual([['2.0.0'], refused]);
});

itInSeries('doctor warns of a feed that fails for more than an hour', async () => {
  await registry.stopServer();
  failsSince(0.5 / 24);
  expect(await doctor()).toContainEqual(expect.objectContaining({ verdict: 'ok' }));
  const since = failsSince(2 / 24);
  const message = `the feed osv fails since ${since}: It did not answer`;
  expect(await doctor()).toContainEqual(expect.objectContaining({ verdict: 'warning', message }));
});

itInSeries('doctor says how old the copy of a feed is that fails for more than a day', async () => {
  const since = failsSince(2.5);
  expect(await doctor()).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(`^the feed osv is old: .*fails since ${since}`) }),
  );
});

it('an empty answer unblocks nothing: policy feeds and doctor tell of the alarm', async () => {
  await registry.stopServer();
  osv.advisories.clear();
  osv.instead('/', undefined);
  await registry.startServer();
  await expect.poll(feed, patient).toMatchObject({ shrunk: expect.any(Object) });
  expect([await offered(), await archive('1.0.0')]).toEqual([['2.0.0'], refused]);
  expect(await feed()).toMatchObject({ rows: 1, shrunk: { from: 1, to: 0 }, failing_since: null });
  expect((await registry.cli('policy', 'feeds')).stdout).toContain('shrunk from 1 to 0; the former copy is used');
  expect(await doctor()).toContainEqual(
    expect.objectContaining({ message: 'the feed osv had 1 row and now has 0; the former copy is used' }),
  );
});

it('a person accepts the small list: the version is back, and the audit log names the feed', async () => {
  expect(await registry.cli('policy', 'feeds', '--accept', 'osv')).toMatchObject({ exitCode: 0 });
  expect(await feed()).toMatchObject({ rows: 0, shrunk: null });
  await expect.poll(() => offered(), patient).toHaveLength(2);
  expect([await offered(), (await archive('1.0.0'))[0]]).toEqual([['1.0.0', '2.0.0'], 200]);
  const { events } = await json<{ readonly events: readonly object[] }>('audit', 'list');
  expect(events).toContainEqual(
    expect.objectContaining({ action: 'policy.feed_accept', subject: 'osv', details: { from: 1, to: 0 } }),
  );
});

it('refuses to accept the list of an unknown feed', async () => {
  const { exitCode, stderr } = await registry.cli('policy', 'feeds', '--accept', 'nothing');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('There is no feed "nothing".')]);
});

it('the log has an error while a feed fails and has no copy, as after a restore without it', async () => {
  await registry.stopServer();
  rmSync(`${registry.data}/feeds`, { recursive: true });
  osv.instead('/', (_request, response) => void response.destroy());
  await registry.startServer();
  const lines = (): readonly object[] =>
    registry.log().filter(({ msg }) => msg === 'a feed of the policy fails, and has no copy: it blocks nothing now');
  await expect.poll(lines, patient).not.toEqual([]);
  expect(lines()[0]).toMatchObject({ level: 50, feed: { feed: 'osv' } });
});

it('a server that starts without a copy reads the feed at once, however short ago it failed', async () => {
  expect(await feed()).toMatchObject({ fetched_at: null, failing_since: expect.any(String) });
  await registry.stopServer();
  osv.instead('/', undefined);
  await registry.startServer();
  await expect.poll(feed, patient).toMatchObject({ fetched_at: expect.any(String), failing_since: null });
});

itInSeries('packages without a first answer are told, and are asked about again within seconds', async () => {
  const names = ['some/five', 'some/six'];
  for (const name of names) {
    osv.advisories.set(
      name,
      advisory(`GHSA-${name.at(-1)}`, name, '2.0.0', { database_specific: { severity: 'HIGH' } }),
    );
    upstream.put(name, [{ version: '1.0.0', zip: archiveFor('1.0.0') }]);
  }
  osv.instead('/v1/query', (_request, response) => void response.writeHead(500).end());
  for (const name of names) expect(await offered(name)).toEqual(['1.0.0']);
  expect((await archive('1.0.0'))[0]).toBe(200);
  const problem = '2 packages have no answer of this feed yet: some/five, some/six.';
  await expect.poll(feed, patient).toMatchObject({ problem, failing_since: null });
  expect((await registry.cli('policy', 'feeds')).stdout).toContain(problem);
  const message = expect.stringMatching(
    /^the feed osv has not answered about 2 packages yet, and blocks no version of /,
  );
  expect(await doctor()).toContainEqual(expect.objectContaining({ verdict: 'warning', message }));
  osv.instead('/v1/query', undefined);
  for (const name of names) await expect.poll(() => offered(name), patient).toEqual([]);
  expect(await archive('1.0.0')).toEqual(refused);
  await expect.poll(feed, patient).toMatchObject({ problem: null });
});
