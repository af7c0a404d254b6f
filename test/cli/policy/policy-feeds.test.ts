// Tests what commands make of the copies of feeds in the data folder: lists of a database that shrank, as a server has
// stored them.

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { advisory, startAdvisoryFeed, type AdvisoryFeed } from '../../util/advisory-feed.ts';
import { openFeeds } from '../../util/opened-feeds.ts';
import { policyRegistry, type PolicyRegistry } from '../../util/policy-registry.ts';
import { describeInSeries } from '../../util/series.ts';

let one: PolicyRegistry;
let osv: AdvisoryFeed;
beforeAll(async () => {
  one = await policyRegistry();
  osv = await startAdvisoryFeed();
  const { folder } = one.registry;
  writeFileSync(
    folder.at('libretto.json'),
    JSON.stringify({ egress: { allow: ['127.0.0.0/8'] }, osv: { names: 'all', url: osv.url } }),
  );
  osv.advisories.set('MAL-1', advisory('MAL-1', 'acme/plug', '3.0.0'));
  await using opened = openFeeds(folder.at('data/feeds'), osv.url, { of: ['acme/plug', 'acme/app'] });
  opened.clock.nowMs = Date.now();
  await opened.feeds.refresh();
  osv.advisories.clear();
  await opened.feeds.refresh();
});
afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await osv[Symbol.asyncDispose]();
});

const policy = { rules: [{ name: 'malware', rule: 'filter', lists: ['malware'], action: 'block' }] };
const outcome = async (): Promise<unknown> => (await one.json(['explain', 'acme/plug', '2.0.0']))['outcome'];
const feedFindings = async (): Promise<readonly string[]> => {
  const { checks } = JSON.parse((await one.registry.cli('doctor', '--json')).stdout) as {
    readonly checks: readonly { readonly check: string; readonly message: string }[];
  };
  return checks.filter(({ check }) => check === 'policy.feed').map(({ message }) => message);
};

describe('a feed that shrank to nothing', () => {
  it('is shown, and its former copy counts in trials and explanations', async () => {
    const asked = osv.requests.length;
    const { stdout } = await one.policy(['feeds']);
    expect(stdout).toMatch(/^osv +osv +2 +\S+ +shrunk from 1 to 0; the former copy is used +http/m);
    expect(await one.json(['test', 'policy.json'], policy)).toMatchObject({
      versions: [{ name: 'acme/plug', version: '2.0.0', because: expect.stringContaining('malware') as unknown }],
    });
    expect((await one.json(['set', 'policy.json']))['remarks']).toEqual([]);
    expect([await outcome(), osv.requests.length]).toEqual(['blocked', asked]);
  });

  it('is a finding of doctor', async () => {
    expect(await feedFindings()).toEqual([
      'the feed osv had 1 row and now has 0; the former copy is used',
      'the feed upstream-public was not read yet; a running server reads it within a minute',
    ]);
  });

  it('counts after a person accepted it, with an audit event', async () => {
    expect(await one.json(['feeds', '--accept', 'osv'])).toMatchObject({
      feeds: [{ id: 'osv', rows: 0, shrunk: null }, { id: 'upstream-public' }],
    });
    expect([await outcome(), await feedFindings()]).toEqual([
      'offered',
      [
        'the feed upstream-public was not read yet; a running server reads it within a minute',
        'the feed osv with 0 rows, read less than an hour ago',
      ],
    ]);
    const { events } = (await one.registry.json('audit', 'list')) as { readonly events: readonly object[] };
    expect(events[0]).toMatchObject({ action: 'policy.feed_accept', subject: 'osv', details: { from: 1, to: 0 } });
  });

  it.each([
    ['osv', 'The feed osv has no smaller list that waits to be accepted.'],
    ['other', 'There is no feed "other".'],
  ])('is refused where there is nothing to accept: %s', async (id, reason) => {
    const { exitCode, stderr } = await one.policy(['feeds', '--accept', id]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});

describeInSeries('a feed with a damaged file', () => {
  it('is a warning of doctor at once, and `policy feeds` shows it', async () => {
    const { folder } = one.registry;
    writeFileSync(folder.at('data/feeds/osv.ndjson'), 'rubbish');
    const [first] = await feedFindings();
    expect(first).toMatch(/^the feed osv has a damaged file: .* its checksum is wrong\. The copy of \S+ is used until/);
    expect((await one.policy(['feeds'])).stdout).toMatch(/^osv +osv +2 .* The file of osv is not used: /m);
  });
});

describeInSeries('a feed without any copy', () => {
  it('is a failed check of doctor, and `policy feeds` says it', async () => {
    const { folder } = one.registry;
    for (const name of readdirSync(folder.at('data/feeds'))) rmSync(folder.at('data/feeds', name));
    osv.instead('/', (_request, response) => void response.destroy());
    {
      await using opened = openFeeds(folder.at('data/feeds'), osv.url, { of: ['acme/plug'] });
      await opened.feeds.refresh();
    }
    expect((await one.policy(['feeds'])).stdout).toMatch(/^osv +osv +0 +never +no copy; failing since /m);
    expect((await feedFindings())[0]).toMatch(/^there is no copy of the feed osv, so its .* block nothing: /);
  });
});
