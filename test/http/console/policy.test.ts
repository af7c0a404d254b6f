// Tests the pages about the policy over a socket, without JavaScript: its rules, exceptions and first hits, a change
// with its check and trial, the explanation of a version, and who sees what.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import { createHits } from '../../../proxy/policy/apply/hits.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { demandCompiled } from '../../setup/compiled.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../util/package-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

const nowMs = Date.parse('2026-11-27T10:00:00Z');
let console: RunningConsole;
let sources: TemporaryTree;
let admin: TestBrowser;

beforeAll(demandCompiled);
beforeAll(async () => {
  console = await runConsole({ now: () => nowMs });
  ({ browser: admin } = await console.signIn('admin'));
  sources = temporaryTree({
    ...below('src/one', libraryTree('acme/hello', { version: '1.0.0', license: 'MIT' })),
    ...below('src/two', libraryTree('acme/hello', { version: '1.1.0', license: 'GPL-3.0-only' })),
    ...below('src/old', libraryTree('acme/old', { version: '2.0.0', license: 'MIT', abandoned: 'acme/hello' })),
  });
  const { exitCode, stderr } = await runCli(['build', 'src', '--data', console.registry.data], { cwd: sources.root });
  if (exitCode > 1) throw new Error(stderr);
});
afterEach(async () => {
  await replace({ rules: [] });
});
afterAll(async () => {
  await console[Symbol.asyncDispose]();
  sources.remove();
});

const mit = { rule: 'license', name: 'licences', action: 'block', allow: ['MIT'] };
const abandoned = { rule: 'abandoned', name: 'old-ones', action: 'warn', packages: ['acme/*'], stability: 'stable' };
const exception = (until: string, reason = 'The licence changes in 1.2.') => ({
  rule: 'licences',
  packages: ['acme/hello'],
  versions: '1.1.0',
  owner: 'ada@example.org',
  reason,
  until,
});

const policy = () => console.registry.services.policyAdmin;
const replace = (document: object) => policy().replace(document as JsonValue, undefined, 'cli:test');
const locationOf = ({ headers }: PageReply): string => String(headers['location']);
const revisionIn = ({ html }: PageReply): string => /name="revision"[^>]* value="([^"]*)"/.exec(html)?.[1] ?? '';

describe('the page of the policy', () => {
  it('says in words what each rule looks for, which packages it concerns, and where it acts', async () => {
    expect((await admin.get('/policy')).text).toContain('No rule yet');
    await replace({ rules: [mit, abandoned], exceptions: [exception('2026-12-05'), exception('2026-11-20')] });
    const { text } = await admin.get('/policy');
    expect(text).toContain('licences another licence than MIT block all packages metadata and archives');
    expect(text).toContain('old-ones an abandoned package warn acme/*, releases only Composer prints a warning');
    expect(text).toMatch(
      /acme\/hello, versions 1\.1\.0 ada@example\.org The licence changes in 1\.2\. in 8 days ends soon/,
    );
    expect(text).toMatch(/ended/);
    expect((await admin.get('/policy/edit')).text).toContain('Allows versions 1.1.0. Owner: ada@example.org.');
    await replace({ rules: [{ rule: 'required', name: 'lack', action: 'log', fields: ['license', 'signed-tag'] }] });
    expect((await admin.get('/policy')).text).toContain(
      'lack without a licence or a tag signed by a known key (releases only) log all private packages',
    );
  });

  it('marks rules that settings describe, with a link to the setting', async () => {
    await console.registry.services.settings.update({ 'mirroring.licenses': ['MIT'] }, 'cli:test');
    try {
      const { text, html } = await admin.get('/policy');
      expect(text).toContain('mirroring.licenses setting another licence than MIT block all mirrored packages');
      expect(html).toContain('href="settings/mirroring"');
    } finally {
      await console.registry.services.settings.update({ 'mirroring.licenses': null }, 'cli:test');
    }
  });

  it('lists first hits, fifty a page', async () => {
    const hits = createHits({
      store: createAuditedStore({ store: console.registry.state, now: () => nowMs }),
      onError: (error) => expect(error).toBeUndefined(),
      onDropped: (count) => expect(count).toBe(0),
    });
    const { record } = await console.registry.services
      .tokensOf('cli:test')
      .create({ description: 'CI of the hits', kind: 'read' });
    for (let patch = 0; patch < 51; patch += 1)
      hits.note({
        rule: 'licences',
        action: 'block',
        name: 'acme/hello' as PackageName,
        version: `1.1.${patch}`,
        normalized: `1.1.${patch}.0`,
        released_ms: null,
        because: 'its licence is <GPL>',
        token: patch === 50 ? record.id : null,
        at: new Date(nowMs - (60 - patch) * 60_000).toISOString(),
      });
    await hits.settled();
    const first = await admin.get('/policy/hits');
    expect(first.text).toContain('acme/hello 1.1.50');
    expect(first.text).not.toContain('acme/hello 1.1.0 ');
    expect([first.text.includes('CI of the hits'), first.html.includes(`/tokens/${record.id}"`)]).toEqual([true, true]);
    const { browser: maintainer } = await console.signIn('maintainer');
    const others = await maintainer.get('/policy/hits');
    expect([others.text.includes(record.id), others.html.includes(`/tokens/${record.id}"`)]).toEqual([true, false]);
    expect(first.text).toContain('51');
    expect((await admin.get('/policy/hits?page=2')).text).toContain('acme/hello 1.1.0 ');
    const audit = await admin.get('/audit');
    expect(audit.text).toContain('was the first to meet a block of acme/hello 1.1.50');
  });
});

describe('the form of the policy', () => {
  it('a check shows faults with their place, and changes nothing', async () => {
    for (const [text, fault] of [
      ['{', 'is not JSON'],
      ['   ', 'The text is not JSON'],
      [JSON.stringify({ rules: [{ ...mit, allow: [] }] }), 'Rule 1, “licences”: allow'],
      [JSON.stringify({ rules: [{ ...mit, alow: ['MIT'] }] }), 'Rule 1, “licences”: alow'],
    ] as const) {
      const reply = await admin.post('/policy/check', { policy: text });
      expect([reply.status, reply.text]).toEqual([200, expect.stringContaining(fault)]);
      const saved = await admin.post('/policy/edit', { policy: text, revision: revisionIn(reply) });
      expect([saved.status, saved.text]).toEqual([400, expect.stringContaining('Nothing was saved')]);
      expect(saved.text).toContain(fault);
    }
    expect((await policy().get()).rules).toEqual([]);
  });

  it('a check shows the difference, remarks, and what the rules would concern; then the policy is saved', async () => {
    await console.registry.services.downloads.count('acme/hello', '1.1.0');
    const text = JSON.stringify({ rules: [mit, abandoned], exceptions: [exception('2026-11-20')] });
    const checked = await admin.post('/policy/check', { policy: text });
    expect(checked.text).toContain('New: rule licences');
    expect(checked.text).toContain('New: exception from licences');
    expect(checked.text).toContain('3 versions were looked at');
    expect(checked.text).toMatch(/licences block 1 1 \d/);
    expect(checked.text).toMatch(/acme\/hello 1\.1\.0 new licences block/);
    const saved = await admin.post('/policy/edit', { policy: text, revision: revisionIn(checked) });
    expect([saved.status, locationOf(saved)]).toEqual([303, expect.stringContaining('notice=saved')]);
    expect((await policy().get()).rules).toEqual([mit, abandoned]);
    const form = await admin.get('/policy/edit');
    const same = await admin.post('/policy/edit', { policy: text, revision: revisionIn(form) });
    expect(locationOf(same)).toContain('notice=same');
    expect((await admin.get('/audit')).text).toContain('changed the policy added: rule licences');
  });

  it('has cards with templates and what each rule concerns now, and keeps what only the JSON can say', async () => {
    await replace({ rules: [{ ...mit, packages: ['acme/*'] }], exceptions: [exception('2026-12-05')] });
    const form = await admin.get('/policy/edit');
    expect(form.text).toMatch(
      /licences Looks for another licence than MIT\. Concerns acme\/\*\. It concerns 0 versions now/,
    );
    const hidden = (reply: PageReply, name: string): string =>
      (new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(reply.html)?.[1] ?? '').replaceAll('&quot;', '"');
    const fieldsOf = (reply: PageReply) => ({
      view: 'cards',
      policy: hidden(reply, 'policy'),
      revision: revisionIn(reply),
    });
    const changed = { ...fieldsOf(form), 'action.0': 'warn', 'allow.0': 'MIT, GPL-*' };
    const added = await admin.post('/policy/check', { ...changed, add: 'abandoned' });
    expect(added.text).toMatch(
      /abandoned Looks for an abandoned package\. .* It concerns 1 version now, 0 of them in use/,
    );
    expect((await policy().get()).rules).toHaveLength(1);
    const json = await admin.post('/policy/check', { ...fieldsOf(added), to: 'json' });
    expect(json.html).toMatch(/<textarea[^>]*name="policy"[^]*GPL-\*/);
    const cards = {
      'packages.0': 'acme/*, other/*',
      'except.0': '',
      'message.0': 'Ask Ada.',
      'reason.exception-0': 'It changes in 1.3.',
      'until.exception-0': '2026-12-06',
      'remove.1': 'on',
    };
    expect((await admin.post('/policy/edit', { ...fieldsOf(added), ...cards })).status).toBe(303);
    expect(await policy().get()).toMatchObject({
      rules: [
        { ...mit, packages: ['acme/*', 'other/*'], action: 'warn', allow: ['MIT', 'GPL-*'], message: 'Ask Ada.' },
      ],
      exceptions: [exception('2026-12-06', 'It changes in 1.3.')],
    });
    const last = { ...fieldsOf(await admin.get('/policy/edit')), 'message.0': '', 'remove.exception-0': 'on' };
    expect((await admin.post('/policy/edit', last)).status).toBe(303);
    expect([(await policy().get()).rules[0], (await policy().get()).exceptions]).toEqual([
      expect.not.objectContaining({ message: expect.anything() as string }),
      [],
    ]);
    await replace({ rules: [{ rule: 'advisories', name: 'severe', action: 'warn' }] });
    const shown = { 'severity.0': 'low', 'action.0': 'warn', 'packages.0': '' };
    const same = { ...fieldsOf(await admin.get('/policy/edit')), ...shown };
    expect(locationOf(await admin.post('/policy/edit', same))).toContain('notice=same');
    for (const text of ['{', '[]', '{"rules": {}}'])
      expect((await admin.post('/policy/check', { view: 'cards', policy: text })).status).toBe(200);
  });

  it('a change by somebody else meanwhile is told, with the difference from it, and saved only again', async () => {
    const form = await admin.get('/policy/edit');
    await replace({ rules: [abandoned] });
    const text = JSON.stringify({ rules: [mit] });
    const refused = await admin.post('/policy/edit', { policy: text, revision: revisionIn(form) });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('somebody else changed the policy')]);
    expect(refused.text).toContain('Removed: rule old-ones');
    expect((await policy().get()).rules).toEqual([abandoned]);
    const again = await admin.post('/policy/edit', { policy: text, revision: revisionIn(refused) });
    expect([again.status, (await policy().get()).rules]).toEqual([303, [mit]]);
  });

  it('a check says that somebody changed the policy, and the next save changes nothing', async () => {
    const form = await admin.get('/policy/edit');
    await replace({ rules: [abandoned] });
    const fields = (reply: PageReply, policyText = JSON.stringify({ rules: [mit] })) => {
      return { policy: policyText, revision: revisionIn(reply) };
    };
    const checked = await admin.post('/policy/check', fields(form));
    expect(checked.text).toContain('Somebody changed the policy since you opened this page');
    expect(checked.text).toContain('Removed: rule old-ones');
    const faulty = await admin.post('/policy/edit', fields(checked, '{'));
    const refused = await admin.post('/policy/edit', fields(faulty));
    expect([refused.status, (await policy().get()).rules]).toEqual([400, [abandoned]]);
    expect(refused.text).not.toContain('since you opened this page');
    expect((await admin.post('/policy/edit', fields(refused))).status).toBe(303);
    expect((await policy().get()).rules).toEqual([mit]);
  });

  it('five minutes after the password, saving asks for it once, and a draft never does', async () => {
    await using other = await runConsole();
    const { browser, password: current_password } = await other.signIn('admin');
    browser.cookies.delete([...browser.cookies.keys()].find((name) => name.includes('confirmed')) ?? '');
    const form = await browser.get('/policy/edit');
    expect(form.text).toContain('Your password');
    const refused = await browser.post('/policy/edit', { policy: '{"rules":[]}', revision: revisionIn(form) });
    expect(refused.status).toBe(400);
    const draft = { view: 'cards', policy: '{"rules":[]}', revision: revisionIn(form), add: 'malware' };
    const added = await browser.post('/policy/check', draft);
    expect([added.status, added.text]).toEqual([200, expect.stringContaining('Your password')]);
    const wrong = await browser.post('/policy/check', { ...draft, current_password: 'another one' });
    expect(wrong.text).toContain('This is not your password');
    const given = await browser.post('/policy/check', { ...draft, current_password });
    expect([given.status, given.text.includes('Your password')]).toEqual([200, false]);
    const same = { policy: '{"rules":[]}', revision: revisionIn(given) };
    expect(locationOf(await browser.post('/policy/edit', same))).toContain('notice=same');
    expect((await browser.post('/policy/edit', draft)).status).toBe(303);
  });
});

describe('a blocked version', () => {
  it('is marked with the rule and the reason, and its explanation names each rule', async () => {
    await replace({ rules: [mit, abandoned] });
    const list = await admin.get('/packages/acme/hello/versions');
    expect(list.text).toMatch(/1\.1\.0 .*blocked .*Blocked by the rule licences : /);
    expect(list.html).toContain('policy?version=1.1.0');
    expect(list.html).not.toContain('policy?version=1.0.0');
    const page = await admin.get('/packages/acme/hello/version?version=1.1.0');
    expect(page.text).toContain('The policy blocks this version: rule licences');
    const other = await admin.get('/packages/acme/hello/version?version=1.0.0');
    expect([page.text, other.text].map((text) => text.includes('composer require -n '))).toEqual([false, true]);
    const why = await admin.get('/packages/acme/hello/why?version=1.1.0');
    expect(why.text).toContain(
      'acme/hello 1.1.0 is blocked: the metadata omits it, and its archive is refused. ' +
        'Rule licences (block): its licence GPL-3.0-only is not allowed.',
    );
    expect((await admin.get('/packages/acme/hello/why?version=1.0.0')).text).not.toContain('is blocked');
    const warned = await admin.get('/packages/acme/old/why?version=2.0.0');
    expect(warned.text).toContain('Rules of the policy concern it: Rule old-ones (warn): it is abandoned');
    const { browser: viewer } = await console.signIn('viewer');
    const seen = await viewer.get('/packages/acme/hello/why?version=1.1.0');
    expect([seen.text.includes('Rule licences (block)'), seen.text.includes('What each rule says')]).toEqual([
      true,
      false,
    ]);
    expect((await viewer.get('/packages/acme/old/why?version=2.0.0')).text).not.toContain('old-ones');
    const explained = await admin.get('/packages/acme/hello/policy?version=1.1.0');
    expect(explained.text).toContain('acme/hello 1.1.0 is blocked');
    expect(explained.text).toMatch(/old-ones an abandoned package warn nothing against this version/);
    expect(explained.html).toMatch(/<span class="soft">warn<\/span>/);
    await replace({ rules: [mit], exceptions: [exception('2026-12-05')] });
    const allowed = await admin.get('/packages/acme/hello/policy?version=1.1.0');
    expect(allowed.text).toContain('acme/hello 1.1.0 is offered');
    expect(allowed.text).toContain(
      'allowed until 2026-12-06 00:00 UTC by ada@example.org: The licence changes in 1.2.',
    );
    expect((await admin.get('/packages/acme/hello/versions')).text).not.toContain('blocked');
    await replace({ rules: [{ ...mit, origin: 'mirrored' }] });
    expect((await admin.get('/packages/acme/hello/versions')).text).not.toContain('blocked');
    expect((await admin.get('/packages/acme/hello/policy?version=9.9.9')).status).toBe(404);
    expect((await admin.get('/packages/acme/hello/policy')).status).toBe(200);
  });

  it('the page of a package without an allowed release says so, and offers no line that installs it', async () => {
    const require = 'composer require -n ';
    await replace({ rules: [mit] });
    const partly = await admin.get('/packages/acme/hello');
    expect([partly.html.includes('acme/hello:^1.0'), partly.text.includes('every release')]).toEqual([true, false]);
    const [list, versions, files, why] = [
      (await admin.get('/packages?q=hello')).text,
      (await admin.get('/packages/acme/hello/versions')).text,
      (await admin.get('/packages/acme/hello/files')).html,
      (await admin.get('/packages/acme/hello/why?version=>=1')).text,
    ];
    expect(partly.text).toMatch(/1\.0\.0 1\.1\.0 blocked .*Latest version 1\.0\.0 /);
    expect(list).toMatch(/acme\/hello .*1\.0\.0 library/);
    expect(versions).toMatch(/1\.1\.0 blocked .*1\.0\.0 latest/);
    expect(files).toMatch(/<title>[^<]*hello 1\.0\.0/);
    expect(why).toContain('2 published versions satisfy >=1. The latest that people get is 1.0.0.');
    await replace({ rules: [{ ...mit, allow: ['BSD-*'] }] });
    const { text } = await admin.get('/packages/acme/hello');
    expect(text).toContain('The policy blocks every release, so Composer does not find one.');
    expect(text).toMatch(/Rule licences : 1\.1\.0, its licence GPL-3\.0-only is not allowed\./);
    expect(text).not.toContain(require);
    expect((await admin.get('/packages?q=hello')).text).toMatch(/acme\/hello blocked .*none library/);
    const versionsOfNone = (await admin.get('/packages/acme/hello/versions')).text;
    expect([versionsOfNone.includes('every version blocked'), versionsOfNone.includes(' latest')]).toEqual([
      true,
      false,
    ]);
    expect((await admin.get('/packages/acme/hello/why')).text).toContain(
      'Each is blocked or held, so people get none.',
    );
    const withdraw = await admin.get('/packages/acme/hello/withdraw?version=1.1.0');
    expect(withdraw.text).toContain('The rule licences of the policy blocks this version already');
  });

  it('an explanation for a token names the rules of that token', async () => {
    const { record } = await console.registry.services
      .tokensOf('cli:test')
      .create({ description: 'CI of the shop', kind: 'read' });
    await replace({ rules: [{ ...mit, tokens: [record.id] }] });
    const path = '/packages/acme/hello/policy?version=1.1.0';
    const others = await admin.get(path);
    expect(others.text).toContain('acme/hello 1.1.0 is offered');
    expect(others.text).toContain('CI of the shop');
    expect((await admin.get(`${path}&token=${record.id}`)).text).toContain('acme/hello 1.1.0 is blocked');
    const { browser: maintainer } = await console.signIn('maintainer');
    expect((await maintainer.get(`${path}&token=${record.id}`)).status).toBe(404);
    expect((await maintainer.get(path)).text).not.toContain('CI of the shop');
  });
});
