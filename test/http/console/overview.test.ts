// Tests the overview: the first steps of a new registry, what needs attention, and who sees it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lastBuildPath } from '../../../build/contract/last-build.ts';
import type { MirrorReport } from '../../../proxy/mirror/mirror-report.ts';
import { below, temporaryTree, type Tree } from '../../util/package-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runConsole, type RunningConsole } from '../../util/running-console.ts';
import { whoLibrary } from '../../util/who-library.ts';
import { itInSeries } from '../../util/series.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 23, 12);

const hello = below('packages/hello', whoLibrary('acme/hello', '1.0.0'));
const bad = below('packages/bad', whoLibrary('acme/bad', '2.0.0', { require: { 'acme/hello': '^^1' } }));

async function publish({ registry }: RunningConsole, files: Tree): Promise<void> {
  const tree = temporaryTree(files);
  await runCli(['build', 'packages', '--data', registry.data], { cwd: tree.root });
  tree.remove();
}

describe('the overview of a new registry', () => {
  it('shows an admin the first steps, and marks those that are done', async () => {
    await using running = await runConsole();
    const { browser } = await running.signIn('admin');
    const { status, text, html } = await browser.get('/overview');
    expect(status).toBe(200);
    for (const to of ['repositories/new', 'uploads', 'tokens/new', 'people/invite'])
      expect(html).toContain(`href="${to}"`);
    for (const to of ['tokens/new', 'people/invite']) expect((await browser.get(`/${to}`)).status).toBe(200);
    expect(text).not.toContain('Needs you');
    await running.registry.createToken('read');
    const after = await browser.get('/overview');
    expect(after.html).not.toContain('href="tokens/new"');
    expect(after.text).toContain('Create a token Composer installs packages with it. done');
  });

  it('asks an admin what downloads are counted by, until somebody answers', async () => {
    await using running = await runConsole();
    const { browser } = await running.signIn('admin');
    const asked = 'Do you want to know who uses which version?';
    expect((await (await running.signIn('maintainer')).browser.get('/overview')).text).not.toContain(asked);
    expect((await browser.get('/overview')).html).toContain('href="overview/counting"');
    const answer = { 'statistics.by': 'version' };
    expect((await browser.post('/overview/counting', answer)).status).toBe(303);
    expect((await browser.get('/overview')).text).not.toContain(asked);
    expect((await running.registry.services.settings.describe()).find(({ key }) => key === 'statistics.by')).toEqual(
      expect.objectContaining({ value: 'version', origin: 'api' }),
    );
  });

  it('shows a viewer no step', async () => {
    await using running = await runConsole();
    const { browser } = await running.signIn('viewer');
    const { text, html } = await browser.get('/overview');
    expect(text).toContain('Nothing is published yet. A maintainer adds the first repository');
    expect(html).not.toContain('repositories/new');
    const packages = await browser.get('/packages');
    expect(packages.text).toContain('No packages yet A maintainer can add a git repository');
    expect(packages.html).not.toContain('repositories/new');
    expect((await browser.get('/history')).text).not.toContain('first steps');
    const keeper = (await running.signIn('maintainer')).browser;
    expect((await keeper.get('/packages')).html).toContain('repositories/new');
    expect((await keeper.get('/history')).text).toContain('Go to the first steps');
  });
});

describe('the overview', () => {
  itInSeries('names versions that were left out, repositories that fail and tokens that end soon', async () => {
    let nowMs = now - 20 * dayMs;
    await using running = await runConsole({ now: () => nowMs });
    const { services } = running.registry;
    const { create } = services.tokensOf('cli:test');
    await create({ description: 'CI of the shop', kind: 'read', expiresAt: new Date(now + 3 * dayMs) });
    await create({ description: 'far away', kind: 'read', expiresAt: new Date(now + 15 * dayMs) });
    nowMs = now;
    await create({ description: 'a trial of five days', kind: 'read', expiresAt: new Date(now + 5 * dayMs) });
    const job = services.tokensOf('publisher:pub_0000000000000000');
    await job.create({ description: 'a CI job', kind: 'write', expiresAt: new Date(now + dayMs / 24) });
    await publish(running, {
      ...hello,
      ...bad,
      ...below('packages/nameless', { 'composer.json': '{"name": "Bad Name"}' }),
    });
    const url = 'https://git.example.org/acme/shop.git';
    const { id } = await services.repositoriesOf('cli:test').create({ type: 'git', url, filters: {}, interval: null });
    const sync = await services.jobs.open(id, { trigger: 'interval', actor: 'system:schedule' });
    const error = { code: 'BUILD_FAILED', message: 'The host does not answer.' } as const;
    await services.jobs.finish(sync.job, { error, report: null, lines: [] });

    const { browser } = await running.signIn('admin');
    const { text, html } = await browser.get('/overview');
    expect(text).toMatch(/Needs you The repository acme\/shop fails The host does not answer\. Open the repository/);
    expect(text).toMatch(/acme\/bad 2\.0\.0 was left out .*cannot be read/);
    expect(html).toContain('href="packages/acme/bad/why?version=2.0.0"');
    expect(text).toMatch(/acme\/bad 2\.0\.0 was left out .* Found at bad\/composer\.json of packages\. See the reason/);
    expect(text).toMatch(
      / nameless\/composer\.json of packages was left out The name .* correct it there, and build again\./,
    );
    expect(text).toMatch(
      /Its source is in sources of libretto\.json, or was given to libretto build ?: correct it there, and build again\. ?(?!Open)/,
    );
    const sources =
      /Sources (?!all is well).*bad 2\.0\.0 was left out .*nameless.* was left out .* Packages all is well/;
    await expect.poll(async () => (await browser.get('/health')).text).toMatch(sources);
    expect(text).toContain('The token “CI of the shop” ends in 3 days');
    expect(text).not.toMatch(/far away|a trial|a CI job/);
    expect(text).toMatch(/Free disk [\d.,]+ [KMGT]B of [\d.,]+ [KMGT]B/);
    const viewer = await running.signIn('viewer');
    const seen = (await viewer.browser.get('/overview')).text;
    expect(seen).not.toContain('CI of the shop');
    expect(seen).not.toContain('Free disk');
  });

  it('names alarms of the mirror, and leads nobody to a page that is refused', async () => {
    const alarm = { about: 'bad/sum 1.0.0', message: 'The SHA-1 is wrong.', lastMs: now };
    const late = { kind: 'failure', about: 'other/late', message: 'No answer.', lastMs: now } as const;
    const mirrorReport: MirrorReport = {
      alarms: () => [{ kind: 'alarm', ...alarm }, late],
      registries: () => Promise.resolve([]),
      packages: () => Promise.resolve([]),
      firstReading: () => Promise.resolve(undefined),
      packageOf: () => Promise.resolve(undefined),
      archives: () => Promise.resolve({ records: [], unreadable: 0, refused: [] }),
    };
    await using running = await runConsole({ now: () => now, mirrorReport });
    await publish(running, hello);
    const lastBuild = join(running.registry.data, lastBuildPath);
    const ended = JSON.parse(readFileSync(lastBuild, 'utf8')) as object;
    writeFileSync(lastBuild, JSON.stringify({ ...ended, failed_sources: 1 }));
    for (const role of ['admin', 'viewer'] as const) {
      const { browser } = await running.signIn(role);
      const { text, html } = await browser.get('/overview');
      expect(text).toContain('Alarm about bad/sum 1.0.0 The SHA-1 is wrong.');
      expect(text).not.toContain('other/late');
      expect(text).toContain('The last build could not read 1 source');
      const links = [...html.matchAll(/<main[^]*<\/main>/g)].flatMap(([main]) => [
        ...main.matchAll(/href="([^"#]+)"/g),
      ]);
      for (const [, to] of links) expect([to, (await browser.get(`/${to}`)).status]).toEqual([to, 200]);
    }
  });

  it('says that all is well, and counts packages, versions and installs', async () => {
    await using running = await runConsole({ now: () => now });
    await publish(running, hello);
    running.registry.services.installs.count('acme/hello', '1.0.0');
    running.registry.services.installs.count('psr/log', '3.0.0');
    const { browser } = await running.signIn('viewer');
    const { text } = await browser.get('/overview');
    expect(text).toContain('All is well Nothing needs you. Packages 1 Versions 1 Installs in 30 days 2');
    expect(text).toContain('Nov 23, 2026 2');
    expect(text).toContain('acme/hello 1.0.0 released 1 added');
  });
});
