// Records the commands and the operations on the policy about versions, each with a success and an error, and what
// clients get of a version that it blocks.

import { writeFileSync } from 'node:fs';
import { afterAll, it } from 'vitest';
import { advisory, startAdvisoryFeed } from '../util/advisory-feed.ts';
import { openFeeds } from '../util/opened-feeds.ts';
import { libraryTree } from '../util/package-tree.ts';
import { expectRecorded } from './recorder/recording.ts';
import { writeConfiguration, writeDated } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';
import { itInSeries } from '../util/series.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

const serve = ['serve', '--listen', '127.0.0.1:4000', '--log', 'none'];
const licences = { rule: 'license', name: 'licences', action: 'block', allow: ['MIT'] };
const exception = {
  rule: 'licences',
  packages: ['acme/hello'],
  versions: '^1.0',
  owner: 'ada@example.org',
  reason: 'The licence changes in 1.2.',
  until: '2020-12-31',
};

const held = { rule: 'capability', name: 'capability', action: 'block' };

it('the operations on the policy answer as recorded', async () => {
  writeConfiguration(workspace, { sources: ['packages'] });
  writeDated(workspace.at('packages/one'), libraryTree('acme/hello', { version: '1.0.0', license: 'MIT' }));
  writeDated(workspace.at('packages/two'), libraryTree('acme/hello', { version: '1.1.0', license: 'GPL-3.0-only' }));
  await workspace.run(['build']);
  const server = await workspace.start(serve, { says: 'libretto user create' });
  const transcript = openTranscript(workspace);
  const [, code] = /setup\?code=(\w+)/.exec(server.said()) ?? [];
  const setup = { setup_code: code, email: 'ada@example.org', password: 'correct horse battery staple' };
  const admin = (await transcript.fetch('POST /api/auth/setup', { body: setup })).json<{ token: string }>().token;
  const headers = { Authorization: `Bearer ${admin}` };
  const ask = (line: string, body?: unknown) => transcript.ask(line, { headers, body });
  await transcript.ask('GET /api/policy');
  const { revision } = (await ask('GET /api/policy')).json<{ revision: string }>();
  const policy = { rules: [licences], exceptions: [exception] };
  for (const body of [policy, { rules: [{ ...licences, allow: [] }] }, '[']) {
    await ask('POST /api/policy/check', body);
    await ask('POST /api/policy/test', body);
    await ask('PUT /api/policy', body);
  }
  await ask('PUT /api/policy', { rules: [], revision });
  await ask('PUT /api/policy', { rules: [{ ...held, kinds: ['license'] }] });
  for (const query of ['', '?limit=0']) await ask(`GET /api/policy/held${query}`);
  const decided = 'POST /api/packages/acme/hello/versions/1.1.0/decision';
  await ask(decided, { decision: 'approved', reason: ' ' });
  await ask(decided, { decision: 'approved', reason: 'Legal agrees.', reference: 'other bytes' });
  await ask(decided, { decision: 'approved', reason: 'Legal agrees.' });
  await ask(decided, { decision: 'approved', reason: 'Legal agrees again.' });
  await ask('PUT /api/policy', policy);
  await ask('GET /api/policy');
  for (const version of ['1.0.0', '1.1.0', '9.9.9'])
    await ask(`GET /api/packages/acme/hello/versions/${version}/policy`);
  await ask('GET /api/packages/acme/hello');
  const made = await transcript.fetch('POST /api/tokens', { headers, body: { description: 'CI', kind: 'read' } });
  const client = { headers: { Authorization: `Bearer ${made.json<{ token: string }>().token}` } };
  await transcript.ask('GET /p2/acme/hello.json', client);
  for (const query of ['', '?limit=0']) await ask(`GET /api/policy/hits${query}`);
  await ask('GET /api/policy/feeds');
  await transcript.ask('GET /api/policy/feeds');
  await ask('POST /api/policy/feeds/none/accept');
  await transcript.stop(serve.join(' '), server);
  expectRecorded('management/policy', transcript.text());
});

/** The copy of a feed that had one advisory, and now has none. */
async function storeShrunkFeed(): Promise<string> {
  await using osv = await startAdvisoryFeed();
  osv.advisories.set('GHSA-1', advisory('GHSA-1', 'acme/hello', '1.1.0'));
  await using opened = openFeeds(workspace.at('data/feeds'), osv.url, { of: ['acme/hello'] });
  opened.clock.nowMs = Date.parse('2024-02-03T04:00:00Z');
  await opened.feeds.refresh();
  osv.advisories.clear();
  await opened.feeds.refresh();
  return osv.url;
}

itInSeries('a feed that shrank is accepted as recorded', async () => {
  const url = await storeShrunkFeed();
  const stable = (text: string): string => text.replaceAll(url, 'http://osv.example.org');
  const list = { rule: 'advisories', name: 'advisories', action: 'block' };
  writeConfiguration(workspace, { sources: ['packages'], osv: { names: 'all', url } });
  writeFileSync(workspace.at('policy.json'), JSON.stringify({ rules: [licences, list], exceptions: [exception] }));
  const { run, text, expectSaid } = openTranscript(workspace);
  for (const command of ['check', 'test', 'set']) {
    await run(`policy ${command} policy.json`);
    await run(`policy ${command} none.json`);
  }
  for (const command of ['show', 'hits', 'feeds', 'check']) {
    await run(`policy ${command}`);
    await run(`policy ${command} --token x`);
  }
  await run('policy explain acme/hello 1.1.0');
  await run('policy explain acme/hello 9.9.9');
  await run('policy protect');
  await run('policy protect --days 0');
  const plugin = { license: 'MIT', type: 'composer-plugin' };
  writeDated(workspace.at('packages/three'), libraryTree('acme/hello', { version: '1.2.0', ...plugin }));
  const other = { version: '1.3.0', ...plugin, extra: { class: 'Hello' } };
  writeDated(workspace.at('packages/four'), libraryTree('acme/hello', other));
  await workspace.run(['build']);
  await run('policy held');
  await run('policy held --token x');
  for (const command of ['approve acme/hello 1.2.0', 'reject acme/hello 1.3.0']) {
    await run(`policy ${command} --reason reasons`);
    await run(`policy ${command}`);
  }
  await run('settings set mirroring.minimum_age 3600');
  await run('policy import-settings');
  await run('policy import-settings --token x');
  await run('policy feeds --accept none');
  expectSaid({
    'policy show': 'EXCEPTION FROM  PACKAGES',
    'policy check policy.json': 'exceptions[0].until: it ended on 2020-12-31. Remove it, or renew it.',
    'policy protect':
      'a release that gained plugin, autoload-file, include-path, bin, replace, source, for 7 days, all packages',
    'policy import-settings': [
      'The policy has these changes, and 1 setting unset:',
      '  + rule mirroring-age: block, younger than 1 hour by the time of the author, all mirrored packages',
      '  - setting mirroring.minimum_age',
    ],
  });
  expectRecorded('commands/policy', stable(text()));
  const server = await workspace.start(serve, { says: 'Serving' });
  const transcript = openTranscript(workspace);
  const { token } = (
    await transcript.fetch('POST /api/auth/login', {
      body: { email: 'ada@example.org', password: 'correct horse battery staple' },
    })
  ).json<{ token: string }>();
  await transcript.ask('POST /api/policy/feeds/osv/accept', { headers: { Authorization: `Bearer ${token}` } });
  await transcript.stop(serve.join(' '), server);
  expectRecorded('management/policy-feeds', stable(transcript.text()));
});
