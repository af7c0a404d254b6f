// Tests the pages about packages of other registries, on a real mirror of a registry on loopback.

import { releaseRules } from '../../util/release-rules.ts';
import { describe, expect, it } from 'vitest';
import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { nothingPurged } from '../../../build/contract/purged.ts';
import type { Mirror } from '../../../proxy/mirror/mirror.ts';
import { createMirrorReport } from '../../../proxy/mirror/mirror-report.ts';
import { createMirroredCatalogue } from '../../../proxy/mirror/mirrored-catalogue.ts';
import { CurrentPolicy, noOutsideLists } from '../../../proxy/policy/apply/current-policy.ts';
import { compilePolicy } from '../../../proxy/policy/judge/compile-policy.ts';
import type { Rule } from '../../../proxy/policy/model/policy-document.ts';
import { createRecentAlarms } from '../../../proxy/mirror/recent-alarms.ts';
import { archiveFor } from '../../util/mirroring-registry.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';
import { runMirror, type RunningMirror } from '../../util/running-mirror.ts';
import { startUpstream, type TestUpstream } from '../../util/upstream.ts';

interface Mirroring extends AsyncDisposable {
  readonly upstream: TestUpstream;
  readonly mirror: RunningMirror;
  readonly console: RunningConsole;
}

/** A console of a server that mirrors `upstream`, whose GPL versions are refused. */
async function runMirroring(): Promise<Mirroring> {
  const upstream = await startUpstream();
  upstream.put('some/http', [
    { version: '2.0.0', zip: archiveFor('2.0.0'), extra: { license: ['GPL-3.0-only'] } },
    { version: '1.0.0', zip: archiveFor('1.0.0'), extra: { license: ['MIT'] } },
  ]);
  upstream.put('some/old', [{ version: '1.0.0', extra: { license: ['MIT'] } }]);
  const now = (): number => mirror.clock.nowMs;
  const alarms = createRecentAlarms(now);
  const mirror = runMirror([upstream.url], {
    set: { releases: releaseRules({ licenses: { allow: ['MIT'], action: 'refuse' } }) },
    report: alarms.record,
    checkRecord: ({ require }) => (require === 'nonsense' ? 'its require is nonsense' : undefined),
  });
  const folder = mirror.folder.at('mirror');
  const catalogue = createMirroredCatalogue({ folder, mirror: mirror.mirror, epoch: () => 1 });
  const mirrorReport = createMirrorReport({ mirror: mirror.mirror, alarms, catalogue });
  const console = await runConsole({ now, mirrorReport, mirrored: catalogue, mirror: mirror.mirror });
  return {
    upstream,
    mirror,
    console,
    [Symbol.asyncDispose]: async () => {
      await console[Symbol.asyncDispose]();
      await mirror[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

function reportOf(mirror: Mirror, folder: string, alarms: ReturnType<typeof createRecentAlarms>) {
  return createMirrorReport({ mirror, alarms, catalogue: createMirroredCatalogue({ folder, mirror, epoch: () => 1 }) });
}

/** The row of a package in the list. */
function rowOf({ html }: PageReply, name: string): string {
  const row = html.split('<tr>').find((one) => one.includes(`>${name}</a>`)) ?? '';
  return row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('the mirror page', () => {
  it('says how to turn mirroring on, to those who may', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    expect((await browser.get('/mirror')).text).toContain('The server runs without its feature mirror');
    const off = runMirror([]);
    await using switchedOff = await runConsole({
      mirrorReport: reportOf(off.mirror, off.folder.at('mirror'), createRecentAlarms(Date.now)),
    });
    const admin = await switchedOff.signIn('admin');
    expect((await admin.browser.get('/mirror')).html).toContain('href="settings/mirroring"');
    const viewer = await switchedOff.signIn('viewer');
    const seen = await viewer.browser.get('/mirror');
    expect(seen.text).toContain('An admin can turn it on in the settings.');
    expect(seen.html).not.toContain('settings/mirroring.enabled');
    await off[Symbol.asyncDispose]();
  });

  it('shows the registries, the stored packages with their archives, and what is held back', async () => {
    await using running = await runMirroring();
    const { upstream, mirror, console } = running;
    const { browser } = await console.signIn('viewer');
    const empty = await browser.get('/mirror');
    expect(empty.text).toContain(`${upstream.url} u1 all in use`);
    expect(empty.text).toContain('No package is stored yet');
    expect(empty.text).toContain('No trouble with other registries');

    await mirror.provider('some/http');
    await mirror.provider('some/old');
    expect((await mirror.archive('some/http', '1.0.0'))?.status).toBe(200);
    await mirror.mirror.written();
    const page = await listed(running, browser);
    expect(rowOf(page, 'some/http')).toMatch(/some\/http u1 1 1 version by licence 1 \d+ B/);
    expect(rowOf(page, 'some/old')).toMatch(/some\/old u1 1 0 0 B/);
    const held = await browser.get('/mirror?show=held-back');
    expect([rowOf(held, 'some/http') !== '', rowOf(held, 'some/old')]).toEqual([true, '']);
    expect(held.text).toContain('1 package of 2');
    expect((await browser.get('/mirror?q=nothing')).text).toContain('No package fits');

    const detail = await browser.get('/mirror/some/http');
    expect(detail.text).toContain(
      '1 version by licence . The newest is 2.0.0: its licence GPL-3.0-only is not allowed.',
    );
    expect(detail.text).toMatch(/1\.0\.0 http:\/\/127\.0\.0\.1:\d+\/\S+ [0-9a-f]{40} /);
    expect((await browser.get('/mirror/some/unknown')).status).toBe(404);
    const why = await browser.get('/packages/some/http/why');
    expect(why.text).toContain('1 version by licence . The newest is 2.0.0: its licence GPL-3.0-only is not allowed.');
    expect(why.text).not.toContain('Nothing is published');
    expect((await browser.get('/packages/some/old/why')).text).toContain('No version is held back.');
    expect(why.text).not.toContain('the check refused');
    upstream.put('some/old', [
      { version: '1.0.0', zip: Buffer.from('no ZIP'), extra: { license: ['MIT'] } },
      { version: '0.9.0', zip: archiveFor('0.9.0'), extra: { license: ['MIT'], require: 'nonsense' } },
    ]);
    mirror.clock.nowMs += 700_000;
    await mirror.archive('some/old', '1.0.0').catch(() => undefined);
    const [whole, one, other, invalid] = ['', '?version=v1.0', '?version=2.0.0', '?version=0.9'].map((query) =>
      browser.get(`/packages/some/old/why${query}`),
    );
    expect((await whole)?.text).toContain('Archives that the check refused 1.0.0: ');
    expect((await one)?.text).toMatch(/some\/old v1.0 is .*its archive was refused\..* refused 1\.0\.0: /);
    expect((await other)?.text).toContain('some/old 2.0.0 is not offered');
    expect((await other)?.text).not.toContain('the check refused');
    expect((await invalid)?.text).toContain('some/old 0.9 is not offered, and no archive of it is stored.');
    expect((await invalid)?.text).toContain(
      '1 version that cannot be mirrored . The newest is 0.9.0: its require is nonsense.',
    );
    expect((await browser.get('/packages/some/old')).html).toMatch(
      /href="[^"]*some\/old\/why">Why is a version missing/,
    );
    expect((await browser.get('/packages/some/new/why')).text).toContain('Nothing of this name is stored here yet.');
  });

  it('says how far the first reading has come, and links to the page of a package whose versions are all refused', async () => {
    await using running = await runMirroring();
    const { mirror } = running.mirror;
    await running.mirror.provider('some/http');
    running.upstream.put('some/gpl', [{ version: '1.0.0', extra: { license: ['GPL-3.0-only'] } }]);
    await running.mirror.provider('some/gpl');
    await mirror.written();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const slow = new Proxy(mirror, {
      get: (of, key) => {
        if (key === 'written') return () => begun;
        const value: unknown = Reflect.get(of, key, of);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    const folder = running.mirror.folder.at('mirror');
    await using reading = await runConsole({
      mirrorReport: reportOf(slow, folder, createRecentAlarms(Date.now)),
      mirrored: createMirroredCatalogue({ folder, mirror: slow, epoch: () => 1 }),
    });
    const { browser } = await reading.signIn('viewer');
    for (const page of ['/mirror', '/search?q=gpl', '/packages/some/gpl'])
      expect((await browser.get(page)).text, page).toContain('Still reading mirrored packages');
    begin();
    await expect.poll(async () => (await browser.get('/mirror')).text).toContain('some/gpl');
    expect((await browser.get('/mirror')).text).not.toContain('Still reading');
    expect((await browser.get('/packages/some/http/why?version=v1')).text).toContain('some/http v1 is offered');
    expect((await browser.get('/mirror/some/gpl')).html).toContain('Show the package');
  });

  it('names the rule of the policy that holds versions back, whatever its name is', async () => {
    await using running = await runMirroring();
    const { mirror, console } = running;
    const rules: Rule[] = [{ rule: 'license', name: 'toString', allow: ['MIT'], action: 'block' }];
    const policy = new CurrentPolicy(compilePolicy({ rules, exceptions: [] }), noAdvisories, noOutsideLists);
    mirror.setRules({ releases: { policy, purged: nothingPurged } });
    const { browser } = await console.signIn('viewer');
    await mirror.provider('some/http');
    await mirror.provider('some/old');
    await mirror.mirror.written();
    expect(rowOf(await listed(running, browser), 'some/http')).toContain('1 version by the rule toString');
    const said = '1 version is left out by the rule toString : 2.0.0: its licence GPL-3.0-only is not allowed.';
    for (const page of ['/mirror/some/http', '/packages/some/http/why']) {
      const { text } = await browser.get(page);
      expect([text.includes(said), text.includes('setting toString')]).toEqual([true, false]);
    }
  });

  it('shows alarms first, and forgets a failure that is over', async () => {
    await using running = await runMirroring();
    const { upstream, mirror, console } = running;
    const { browser } = await console.signIn('viewer');
    await mirror.provider('some/http');
    await mirror.archive('some/http', '1.0.0');
    upstream.put('some/http', [{ version: '1.0.0', zip: archiveFor('evil'), extra: { license: ['MIT'] } }]);
    mirror.clock.nowMs += 700_000;
    await mirror.provider('some/http');
    upstream.failing.status = 503;
    mirror.clock.nowMs += 700_000;
    await mirror.provider('some/http');
    const troubled = (await browser.get('/mirror')).text;
    expect(troubled).toMatch(/Needs a look Since this server process started\..* some\/http 1\.0\.0 :/);
    expect(troubled).toMatch(/u1 : .*503/);
    upstream.failing.status = undefined;
    mirror.clock.nowMs += 700_000;
    await mirror.provider('some/http');
    const healed = (await browser.get('/mirror')).text;
    expect(healed).toContain('some/http 1.0.0 :');
    expect(healed).not.toMatch(/u1 : /);
  });
});

/** The list once the mirror has found both packages on its disk; it looks there every few seconds. */
async function listed({ mirror }: Mirroring, browser: TestBrowser): Promise<PageReply> {
  const look = async (): Promise<PageReply> => {
    mirror.clock.nowMs += 6000;
    return browser.get('/mirror');
  };
  await expect.poll(async () => (await look()).text).toContain('2 packages');
  return look();
}
