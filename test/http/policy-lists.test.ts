// I26. Tests the last lists of mirrored packages: whatever an upstream leaves out later, a stored archive that it
// listed stays blocked, in every process. Damage of such a list is an error, and never an empty list.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mirroredSource } from '../../cli/policy-admin/mirrored-source.ts';
import { listed, malware, one } from '../util/listed-versions.ts';
import { policedRegistry, type PolicedOptions, type PolicedRegistry } from '../util/policed-registry.ts';
import { packageName } from '../util/running-mirror.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { startUpstream, type UpstreamVersion } from '../util/upstream.ts';

let at: TemporaryFolder;
let running: PolicedRegistry[];
let registry: PolicedRegistry;

/** One more registry with the same mirror, as another process has it. */
async function start(options: PolicedOptions = {}): Promise<PolicedRegistry> {
  const made = await policedRegistry({}, { at, ...options });
  running.push(made);
  made.tree.put('acme/app', []);
  made.tree.publish();
  made.setPolicy({ rules: [malware] });
  return made;
}
beforeEach(async () => {
  at = temporaryFolder('lists');
  running = [];
  registry = await start();
});
afterEach(async () => {
  for (const each of running) await each[Symbol.asyncDispose]();
  await at.remove();
});

const status = async (version: string, of = registry): Promise<number> =>
  (await of.get(`/dist/some/lib/${version}.zip`)).status;
const later = (ms = 700_000): void => {
  for (const { clock } of running) clock.nowMs += ms;
};
const publish = (versions: readonly UpstreamVersion[], beside: Readonly<Record<string, unknown>> = {}): void =>
  registry.upstream.put('some/lib', versions, beside);
/** The upstream answers this from now on. */
const answer = (path: string, body: object | undefined, afterMs = 0): void =>
  registry.upstream.instead(path, (_, response) => {
    void setTimeout(afterMs).then(() => response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body)));
  });
const published = async (path: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${registry.upstream.url}${path}`)).json()) as Record<string, unknown>;

/** An archive that is here, and is listed now. */
async function storeListed(versions = [one('1.0.0')]): Promise<void> {
  publish(versions);
  for (const { version } of versions) expect(await status(version)).toBe(200);
  publish(versions, listed);
  later();
  for (const { version } of versions) expect(await status(version)).toBe(410);
}

describe('a stored archive that its upstream listed stays blocked', () => {
  it('where the upstream is slow at the first request after the rule', async () => {
    registry.setPolicy({ rules: [] });
    publish([one('1.0.0')], listed);
    expect(await status('1.0.0')).toBe(200);
    later();
    answer('/p2/some/lib.json', {}, 3000);
    registry.setPolicy({ rules: [malware] });
    expect(await status('1.0.0')).toBe(410);
  });

  itInSeries('where one document empties the versions and lists the package', async () => {
    publish([one('1.0.0')]);
    expect(await status('1.0.0')).toBe(200);
    publish([], listed);
    later();
    expect(await status('1.0.0')).toBe(410);
    registry.upstream.drop('some/lib');
    for (const ms of [700_000, 1_000_000, 100_000_000]) {
      later(ms);
      expect(await status('1.0.0')).toBe(410);
    }
  });

  it('where the releases are gone, and a branch without a list stays', async () => {
    await storeListed([one('1.0.0'), one('dev-main')]);
    const branch = await published('/p2/some/lib~dev.json');
    delete branch['filter'];
    answer('/p2/some/lib.json', undefined);
    answer('/p2/some/lib~dev.json', branch);
    later(1_000_000);
    expect(await status('1.0.0')).toBe(410);
    later(1_000_000);
    expect(await status('dev-main')).toBe(410);
    later();
    expect(await status('1.0.0')).toBe(410);
  });

  it('in a process that saw the package before it was listed', async () => {
    const other = await start({ upstreams: [registry.upstream.url], alone: true });
    publish([one('1.0.0')]);
    expect([await status('1.0.0'), await status('1.0.0', other)]).toEqual([200, 200]);
    publish([one('1.0.0')], listed);
    later();
    expect(await status('1.0.0')).toBe(410);
    registry.upstream.drop('some/lib');
    for (const ms of [700_000, 1_000_000, 100_000_000]) {
      later(ms);
      expect([await status('1.0.0'), await status('1.0.0', other)]).toEqual([410, 410]);
    }
  });

  itInSeries('where another upstream has a package of this name later', async () => {
    await using second = await startUpstream({});
    const both = await start({ upstreams: [registry.upstream.url, second.url], alone: true });
    await storeListed();
    expect(await status('1.0.0', both)).toBe(410);
    registry.upstream.drop('some/lib');
    second.put('some/lib', [one('9.0.0')]);
    for (const ms of [1_000_000, 1_000_000, 100_000_000]) {
      later(ms);
      expect(await status('1.0.0', both)).toBe(410);
    }
  });

  itInSeries('where the reason is a text that PHP cannot decode', async () => {
    publish([one('1.0.0')]);
    expect(await status('1.0.0')).toBe(200);
    publish([one('1.0.0')], { filter: { malware: [{ constraint: '*', reason: 'it phones home \ud83d' }] } });
    later();
    expect(await status('1.0.0')).toBe(410);
  });

  itInSeries('where the upstream drops this version of an abandoned package', async () => {
    registry.setPolicy({ rules: [{ name: 'dead', rule: 'abandoned', action: 'block' }] });
    publish([one('2.0.0'), one('1.0.0')]);
    expect(await status('1.0.0')).toBe(200);
    publish([one('2.0.0', { abandoned: true })]);
    later();
    expect(await status('1.0.0')).toBe(410);
  });
});

describe('an archive that is not here', () => {
  const ofToken = { name: 'licences', rule: 'license', allow: ['BSD-*'], action: 'block', tokens: ['tok_reader'] };

  it.each([1000, 2500])('is refused by a rule for its token if its upstream takes %d ms', async (ms) => {
    registry.setPolicy({ rules: [ofToken] });
    publish([one('1.0.0', { license: ['BSD-3-Clause'] })]);
    expect(await registry.offered('some/lib')).toEqual(['1.0.0']);
    publish([one('1.1.0'), one('1.0.0', { license: ['BSD-3-Clause'] })]);
    answer('/p2/some/lib.json', await published('/p2/some/lib.json'), ms);
    later();
    const asked = await status('1.1.0');
    expect([404, 410]).toContain(asked);
    expect(await status('1.1.0')).toBe(410);
  });

  it.each(['2.0.0', 'dev-next'])('is refused where %s stands in the document of the other kind', async (version) => {
    registry.setPolicy({ rules: [malware, ofToken] });
    publish([one('1.0.0'), one('dev-main'), one(version)]);
    const [releases, branches] = [await published('/p2/some/lib.json'), await published('/p2/some/lib~dev.json')];
    answer('/p2/some/lib.json', { ...branches, packages: branches['packages'] });
    answer('/p2/some/lib~dev.json', releases);
    expect([await status(version), await status(version)]).toEqual([410, 410]);
  });
});

describe('the last lists', () => {
  const file = (): string => at.at('mirror/lists/some/lib.json');

  it.each(['', '[]', '\0'.repeat(50), undefined])(
    'that are damaged (%j) refuse, and are written again',
    async (text) => {
      await storeListed();
      registry.upstream.drop('some/lib');
      later(2_000_000);
      later(2_000_000);
      expect(await status('1.0.0')).toBe(410);
      writeFileSync(file(), text ?? readFileSync(file(), 'utf8').replace('malware', 'melware'));
      later();
      const [again] = [await start({ upstreams: [registry.upstream.url], alone: true })];
      again.clock.nowMs = registry.clock.nowMs;
      expect([await status('1.0.0'), await status('1.0.0', again)]).toEqual([500, 500]);
      again.setPolicy({ rules: [{ name: 'plugins', rule: 'plugin', allow: [], action: 'block' }] });
      expect(await status('1.0.0', again)).toBe(200);
      again.setPolicy({ rules: [malware] });
      publish([one('1.0.0')], listed);
      later();
      expect([await status('1.0.0'), await status('1.0.0', again)]).toEqual([410, 410]);
      expect(readFileSync(file(), 'utf8')).toContain('"malware"');
    },
  );

  it('that cannot be written are remembered, and told', async () => {
    publish([one('1.0.0')]);
    expect(await status('1.0.0')).toBe(200);
    mkdirSync(file(), { recursive: true });
    publish([one('1.0.0')], listed);
    later();
    expect([await registry.offered('some/lib'), await status('1.0.0')]).toEqual([[], 410]);
    registry.upstream.drop('some/lib');
    for (const ms of [1_000_000, 100_000_000]) {
      later(ms);
      expect(await status('1.0.0')).toBe(410);
    }
    expect(registry.mirror.messages().join()).toContain('lib.json cannot be written: ');
    rmSync(file(), { recursive: true });
    publish([one('1.0.0')], listed);
    later();
    expect(await status('1.0.0')).toBe(410);
    expect(readFileSync(file(), 'utf8')).toContain('"malware"');
  });

  it('are what `policy explain` and `policy test` read after the package is gone', async () => {
    await storeListed();
    registry.upstream.drop('some/lib');
    for (const ms of [1_000_000, 100_000_000]) {
      later(ms);
      expect(await status('1.0.0')).toBe(410);
    }
    const upstreams = [{ id: 'u1', url: registry.upstream.url, allow: [], deny: [] }];
    const source = mirroredSource({
      folder: at.at('mirror'),
      rules: () => Promise.resolve({ reserved: [], sharedVendors: [], upstreams }),
      privateNames: () => Promise.resolve({ has: () => false, hasVendor: () => false }),
    });
    const known = await source.read(packageName('some/lib'));
    expect(known).toMatchObject({ beside: listed, versions: [{ facts: { version: '1.0.0' }, stored: true }] });
  });

  itInSeries('that are emptied unblock, and this is told', async () => {
    await storeListed();
    publish([one('1.0.0')], { filter: { malware: [] } });
    later();
    expect(await status('1.0.0')).toBe(200);
    expect(registry.mirror.of('lists-emptied')).toEqual([
      { kind: 'lists-emptied', name: 'some/lib', upstream: 'u1', lists: 'malware' },
    ]);
  });
});

describeInSeries('a flag that the upstream has cleared', () => {
  it('blocks no longer after the freshness time, also where its branches had it, and after a slow phase', async () => {
    await storeListed([one('1.0.0'), one('dev-main')]);
    const branch = await published('/p2/some/lib~dev.json');
    answer('/p2/some/lib~dev.json', { ...branch, ...listed });
    later();
    expect([await status('1.0.0'), await status('dev-main')]).toEqual([410, 410]);
    answer('/p2/some/lib.json', {}, 3000);
    later();
    expect(await status('1.0.0')).toBe(410);
    registry.upstream.instead('/p2/some/lib.json', undefined);
    publish([one('1.0.0'), one('dev-main')]);
    await setTimeout(2000); // the request that was too slow ends
    later();
    expect(await status('1.0.0')).toBe(200);
    answer('/p2/some/lib~dev.json', branch);
    later();
    expect([await status('dev-main'), await status('1.0.0')]).toEqual([200, 200]);
  });
});

describe('the age of a release', () => {
  it('is that of its author where its upstream gives no other, for tokens with a view, too', async () => {
    const limited = await policedRegistry({ old: { constraints: { 'some/lib': '<9' } } });
    running.push(limited);
    limited.tree.put('acme/app', []);
    limited.tree.publish();
    const rule = { name: 'young', rule: 'age', days: 3, action: 'block' };
    limited.setPolicy({ rules: [rule, { ...rule, name: 'yours', tokens: ['tok_old', 'tok_reader'] }] });
    limited.upstream.put('some/lib', [one('1.0.0')]);
    expect(await status('1.0.0', limited)).toBe(200);
    limited.clock.nowMs += 700_000;
    expect(JSON.stringify((await limited.get('/p2/some/lib.json')).json())).toContain('published-time');
    expect([await limited.offered('some/lib', 'old'), await limited.offered('some/lib')]).toEqual([
      ['1.0.0'],
      ['1.0.0'],
    ]);
  });
});
