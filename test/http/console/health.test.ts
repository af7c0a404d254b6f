// Tests the page about health: it never waits for a check.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runConsole, type PageReply, type TestBrowser } from '../../util/running-console.ts';
import { itInSeries } from '../../util/series.ts';

/** Loads the page again until the check has ended, as a browser does. */
async function result(browser: TestBrowser): Promise<PageReply> {
  for (let turn = 0; turn < 400; turn += 1) {
    const page = await browser.get('/health');
    if (!page.html.includes('data-refresh')) return page;
    expect(page.html).toContain('<noscript><meta http-equiv="refresh"');
    await sleep(50);
  }
  throw new Error('the check does not end');
}

describe('the page about health', () => {
  it('says at the first visit that a check runs, and then what it found', async () => {
    await using running = await runConsole();
    const { browser } = await running.signIn('maintainer');
    const first = await browser.get('/health');
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('The registry is being checked.')]);
    const { text } = await result(browser);
    expect(text).toMatch(
      /Server Data folder: a check failed There is no data folder .*Name it with --data, or make it/,
    );
    expect(text).toContain('Sources all is well');
    expect(text).toContain('of libretto doctor node Node.js');
  });

  itInSeries('gives the same answer as the overview, with names and sentences', async () => {
    await using running = await runConsole();
    const { services } = running.registry;
    const url = 'https://git.example.org/acme/shop.git';
    const { id } = await services.repositoriesOf('cli:test').create({ type: 'git', url, filters: {}, interval: null });
    const { job } = await services.jobs.open(id, { trigger: 'interval', actor: 'system:schedule' });
    const error = { code: 'BUILD_FAILED', message: 'The host does not answer.' } as const;
    await services.jobs.finish(job, { error, report: null, lines: [] });
    const { browser } = await running.signIn('admin');
    const status = await result(browser);
    expect(status.text).toContain(
      'Sources The repository acme/shop fails The host does not answer. Open the repository',
    );
    expect(status.text).not.toContain(id);
    const needs = ({ html }: PageReply): readonly string[] =>
      [...html.matchAll(/<strong>(.*?)<\/strong>/g)].map(([, title = '']) => title);
    expect(needs(status).toSorted()).toEqual(needs(await browser.get('/overview')).toSorted());
    expect(needs(status).length).toBe(2);
  });

  itInSeries('checks again on request', async () => {
    await using running = await runConsole();
    const { data } = running.registry;
    const { browser } = await running.signIn('admin');
    expect((await result(browser)).text).toContain('There is no data folder');
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'note'), '');
    expect((await browser.get('/health')).text).toContain('There is no data folder');
    const posted = await browser.post('/health', {});
    expect([posted.status, posted.headers['location']]).toEqual([303, 'health']);
    expect((await result(browser)).text).not.toContain('There is no data folder');
  });

  it('is for those who care for the registry', async () => {
    await using running = await runConsole();
    const { browser } = await running.signIn('viewer');
    expect((await browser.get('/health')).status).toBe(403);
    expect((await browser.post('/health', {})).status).toBe(403);
  });
});
