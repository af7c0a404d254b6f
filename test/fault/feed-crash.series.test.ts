// Tests kills of the process that writes the list of a feed: the old list or the new one is whole, and later runs
// remove what the kill left behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { advisory, startAdvisoryFeed, type AdvisoryFeed } from '../util/advisory-feed.ts';
import { openFeeds } from '../util/opened-feeds.ts';
import { bundleScript } from '../util/bundled-script.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const folder = temporaryFolder('feed-crash');
const script = folder.at('process.mjs');
let osv: AdvisoryFeed;
const kills = Number(process.env['FEED_KILLS'] ?? 2);
const rows = 60;

beforeAll(async () => {
  await bundleScript('test/util/feed-process.ts', script);
  osv = await startAdvisoryFeed();
});
afterAll(async () => {
  await osv[Symbol.asyncDispose]();
  await folder.remove();
});

/** Written as 15 000 characters each: the file has a megabyte. */
const affected = [
  {
    package: { ecosystem: 'Packagist', name: 'acme/lib' },
    versions: Array.from({ length: 1200 }, (_, at) => `1.${at}`),
  },
];

/** From now on, all advisories are those of this edition. */
function publish(edition: number): void {
  osv.advisories.clear();
  for (let at = 0; at < rows; at += 1) {
    const id = `GHSA-${edition}-${at}`;
    osv.advisories.set(id, advisory(id, 'acme/lib', '2.0.0', { affected }));
  }
}

async function nextChange(): Promise<void> {
  const watched = watch(folder.at('feeds'));
  await once(watched, 'change').finally(() => watched.close());
}

it('a kill at any moment of a run leaves the old list or the new one', async () => {
  const random = seededRandom(22);
  for (let round = 0; round < kills; round += 1) {
    publish(2 * round);
    const child = spawn(process.execPath, [script, 'write', folder.at('feeds'), osv.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    publish(2 * round + 1);
    // every second kill comes right after a change in the folder, so that it hits a write
    if (round % 2 === 0) await sleep(random() * 400);
    else await nextChange();
    child.kill('SIGKILL');
    await ended;
    await using opened = openFeeds(folder.at('feeds'), osv.url, { isLeader: () => false });
    const ids = opened.ids('acme/lib');
    expect(opened.feeds.statuses()[0]?.problem).toBeNull();
    const editions = new Set(ids.map((id) => id.split('-')[1]));
    // as long as new advisories are unread, the old ones stay beside them
    expect([rows, 2 * rows]).toContain(ids.length);
    expect(editions.size).toBe(ids.length / rows);
  }
});

it('files of killed writers are removed when nobody can be writing them any more', async () => {
  await using opened = openFeeds(folder.at('feeds'), osv.url, { now: Date.now });
  await opened.feeds.refresh();
  const partial = folder.at('feeds', 'osv.ndjson.killed.partial');
  writeFileSync(partial, 'half');
  await opened.feeds.refresh();
  expect(readdirSync(folder.at('feeds'))).toContain('osv.ndjson.killed.partial');
  // the kills of the other test may have left some, too
  for (const name of readdirSync(folder.at('feeds')))
    if (name.endsWith('.partial')) utimesSync(folder.at('feeds', name), 0, 0);
  await opened.feeds.refresh();
  expect(readdirSync(folder.at('feeds')).toSorted()).toEqual(['osv.ndjson', 'osv.previous.ndjson', 'standing.json']);
});
