// Tests the pages about trusted publishers over a socket, without JavaScript: a publisher that is made, changed,
// explained and removed, with the tokens of its jobs. The ID tokens come from issuers on real sockets.

import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';
import { startOidcIssuer, type OidcIssuer } from '../../util/oidc-issuer.ts';
import { audience, githubClaims } from '../../util/publisher-claims.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

type Fields = Readonly<Record<string, string>>;
let nowMs = Date.parse('2026-11-27T10:00:00Z');
let console: RunningConsole;
let github: OidcIssuer;
let gitlab: OidcIssuer;
let admin: TestBrowser;
let password = '';

beforeAll(demandCompiled);
beforeAll(async () => {
  [github, gitlab] = await Promise.all([startOidcIssuer('/_services/token'), startOidcIssuer()]);
  console = await runConsole({
    now: () => nowMs,
    settings: {
      publicUrl: audience,
      egress: { allow: ['127.0.0.0/8'] },
      oidcIssuers: [`github=${github.url}`, `gitlab=${gitlab.url}`],
    },
  });
  ({ browser: admin, password } = await console.signIn('admin'));
});
afterEach(async () => {
  for (const { id } of await publishers().list()) await publishers().remove(id);
});
afterAll(async () => {
  await console[Symbol.asyncDispose]();
  await Promise.all([github, gitlab].map((issuer) => issuer[Symbol.asyncDispose]()));
});

const publishers = () => console.registry.services.publishersOf('cli:test');
const locationOf = ({ headers }: PageReply): string => String(headers['location']);
const draft = (more: Fields = {}): Fields => ({
  purpose: 'publish',
  issuer: github.url,
  name: 'Release',
  repository: 'acme/app',
  workflow: 'release.yml',
  environment: '',
  refs: '',
  workflow_claim: 'job',
  repository_id: '',
  owner_id: '',
  claims: 'runner_environment = github-hosted',
  packages: 'acme/app',
  constraints: '',
  stability: '',
  not_after: '',
  token_minutes: '',
  exchanges_per_hour: '',
  ...more,
});

async function make(more: Fields = {}): Promise<string> {
  const reply = await admin.post('/publishers/new', draft(more));
  expect([reply.status, reply.text]).toEqual([303, '']);
  return `/publishers/${/pub_\w{16}/.exec(locationOf(reply))?.[0]}`;
}

const remove = (path: string): Promise<PageReply> => admin.post(`${path}/remove`, {});
const job = (over: object = {}): Promise<string> => github.sign(githubClaims({ issuer: github.url, nowMs }, over));

/** The token that a job gets. */
async function exchange(idToken: string): Promise<{ id: string; secret: string }> {
  const reply = await console.registry.call('POST', '/api/oidc/token', { body: { token: idToken } });
  expect([reply.status, reply.body.toString()]).toEqual([201, expect.any(String)]);
  const { id, token } = reply.json();
  return { id: String(id), secret: String(token) };
}

describe('a publisher', () => {
  it('is made with the lines for its CI system, and the list has its purpose, repository and ids', async () => {
    expect((await admin.get('/publishers')).text).toContain('No publisher yet A publisher lets the CI jobs of one');
    const path = await make();
    const page = await admin.get(path);
    expect(page.text).toContain('GitHub Actions: jobs of acme/app may publish packages.');
    expect(page.text).toContain('id-token: write');
    const line = `libretto publish . --version "$GITHUB_REF_NAME" --oidc --url ${audience}`;
    expect(page.text).toContain(`${line} --publisher ${path.slice('/publishers/'.length)}`);
    expect(page.text).toContain('Tags and branches tags and protected branches');
    expect(page.text).toContain('runner_environment github-hosted');
    const list = await admin.get('/publishers');
    expect(list.text).toMatch(/Release GitHub Actions · acme\/app publish acme\/app set by the first job none 0 of 60/);
    await remove(path);
    expect((await admin.get('/publishers?notice=removed')).text).toContain('No publisher yet');
  });

  it('that reads has a view in words, and GitLab gets lines of its own', async () => {
    const view = { constraints: 'acme/core <3.0', stability: 'stable', not_after: '2026-11-01' };
    const path = await make({ ...view, purpose: 'read', issuer: gitlab.url, packages: 'acme/*', claims: '' });
    const { text } = await admin.get(path);
    expect(text).toContain('Versions acme/core: <3.0');
    expect(text).toContain('A token ends after 60 minutes');
    expect(text).toContain('id_tokens: { LIBRETTO_ID_TOKEN: {');
    expect((await admin.get('/publishers')).text).toContain('acme/* acme/core:<3.0; stable');
  });

  it.each([
    [{ packages: '' }, 'Must name the packages to publish'],
    [{ packages: 'acme' }, 'acme'],
    [{ repository: '' }, 'Must name the repository of the jobs'],
    [{ claims: 'no value' }, '“no value” is not of the form claim = value.'],
    [{ claims: 'a = 1\na = 2' }, 'Two lines are about a. Keep one of them.'],
    [{ claims: 'sub = repo' }, 'sub: It is no identity at GitHub Actions'],
    [{ token_minutes: '16' }, 'May be at most 15 for the purpose publish.'],
    [{ token_minutes: 'x' }, 'Must be a whole number from 1 to 60.'],
    [{ purpose: 'read', constraints: 'acme/core' }, '“acme/core” is not of the form acme/core <3.0.'],
    [{ issuer: 'https://evil.example.org' }, 'Choose one of these CI systems.'],
  ])('with %j is refused beside its field', async (over, words) => {
    const reply = await admin.post('/publishers/new', draft(over));
    expect([reply.status, reply.html.includes('aria-invalid="true"')]).toEqual([400, true]);
    expect(reply.text).toContain(words);
    expect(await publishers().list()).toEqual([]);
  });

  it('is changed: another repository forgets the learnt ids', async () => {
    const path = await make();
    await exchange(await job());
    expect((await admin.get(path)).text).toContain('learnt');
    const edit = await admin.get(`${path}/edit`);
    expect([edit.html.includes('value="1001"'), edit.html.includes('name="constraints"')]).toEqual([true, false]);
    const stored = { repository_id: '1001', owner_id: '77', refs: 'tags-or-protected', token_minutes: '15' };
    const same = draft({ ...stored, exchanges_per_hour: '60' });
    expect(locationOf(await admin.post(`${path}/edit`, same))).toContain('same');
    const renamed = { ...same, repository: 'acme/shop', name: 'Shop' };
    expect(locationOf(await admin.post(`${path}/edit`, renamed))).toContain('saved');
    expect(await publishers().list()).toMatchObject([{ name: 'Shop', repository: 'acme/shop', repository_id: null }]);
    const form = (await admin.get(`${path}/edit`)).text;
    expect(form).toContain(
      'The tokens that jobs have now end at once, unless only the name, the minutes or the exchanges',
    );
    expect(form).toContain('at CircleCI with its host, such as github.com/acme/app');
    expect((await admin.post(`${path}/edit`, { ...renamed, name: '' })).text).toContain('Must be one line');
  });
});

it('the id that another publisher of the repository pinned is shown, and explains a refusal', async () => {
  await make({ repository_id: '51' });
  const path = await make({ name: 'Reader', purpose: 'read' });
  expect((await admin.get(path)).text).toContain('Ids of another publisher repository 51');
  expect((await admin.get(path)).text).not.toContain('The first job sets the ids');
  const explained = await admin.post(`${path}/explain`, { token: await job({ repository_id: '52' }) });
  expect(explained.text).toContain('This publisher refuses the job.');
  expect(explained.text).not.toContain('Accepted:');
  for (const { id } of await publishers().list()) await remove(`/publishers/${id}`);
});

describe('the jobs of a publisher', () => {
  it('are listed with their tokens, which cannot be edited and end with the publisher', async () => {
    const path = await make();
    const { id } = await exchange(await job());
    const page = await admin.get(path);
    expect(page.text).toMatch(/Exchanged acme\/app , run 5000 , v1\.2\.0 , commit aaaaaaaaaaaa active just now/);
    expect(page.text).toContain('1 of 60 exchanges');
    expect(page.html).toMatch(/href="http:\/\/127\.0\.0\.1:\d+\/acme\/app\/actions\/runs\/5000[^"]*"/);

    const token = await admin.get(`/tokens/${id}`);
    expect(token.text).toContain('by a CI job of the trusted publisher Release');
    expect(token.text).toMatch(/Run acme\/app , run 5000/);
    expect(token.html).not.toMatch(/\/(edit|rotate)"/);
    for (const part of ['edit', 'rotate']) expect((await admin.get(`/tokens/${id}/${part}`)).status, part).toBe(303);

    expect((await admin.get(`${path}/remove`)).text).toContain('Current tokens are revoked.');
    await remove(path);
    expect((await admin.get(`/tokens/${id}`)).text).toContain('The token of a CI job has ended.');
    expect((await admin.get('/audit')).text).toMatch(/removed the trusted publisher\s+Release/);
  });

  it('are named by the pages of the version and the upload that they published', async () => {
    await using folder = temporaryFolder('job');
    const file = folder.at('package.zip');
    writeFileSync(file, zipOf([{ name: 'composer.json', data: '{"name": "acme/app", "version": "1.2.0"}' }]));
    const run = { issuer: github.url, repository: 'acme/app', run_id: '5000', run_attempt: '1', workflow: null };
    const from = { ...run, publisher: 'pub_0000000000000000', run_url: null, ref: null, commit: 'c'.repeat(40) };
    await console.registry.services.artifactsOf('cli:test').publish({ path: file, from });
    const words = 'acme/app , run 5000, commit cccccccccccc';
    expect((await admin.get('/uploads')).text).toContain(`CI: ${words}`);
    const page = '/packages/acme/app';
    expect((await admin.get(`${page}/version?version=1.2.0`)).text).toContain(`Published by CI ${words}`);
    expect((await admin.get(`${page}/why?version=1.2.0`)).text).toContain(`Published by CI: ${words}`);
  });

  it('can be explained: accepted, or each claim that does not match; the ID token is not used up', async () => {
    const path = await make();
    const explain = async (token: string): Promise<PageReply> => admin.post(`${path}/explain`, { token });
    const good = await job();
    const accepted = await explain(good);
    expect(accepted.text).toContain('Accepted: the job gets a write token for 15 minutes.');
    expect([accepted.html.includes(good), (await explain(good)).text.includes('Accepted')]).toEqual([false, true]);
    await exchange(good);
    expect((await explain(good)).text).toContain('Refused now. It was exchanged already');

    const branch = { ref: 'refs/heads/x', ref_type: 'branch', runner_environment: '<b>own</b>' };
    const refused = await explain(await job(branch));
    expect(refused.text).toContain('This publisher refuses the job. These claims do not match:');
    expect(refused.text).toMatch(/runner_environment [^<]*github-hosted[^<]* <b>own<\/b>/);
    expect(refused.html).not.toContain('<b>own');
    expect((await explain(await gitlab.sign({ ...githubClaims({ issuer: gitlab.url, nowMs }) }))).text).toContain(
      `It comes from ${gitlab.url}, and this publisher trusts ${github.url}.`,
    );
    expect((await explain('no token')).text).toContain('Refused now.');
    expect((await explain('')).text).toContain('Paste an ID token');
  });
});

describe('the pages', () => {
  it('begin with four fields, and fold the others until one is used', async () => {
    const form = async (path: string): Promise<readonly string[]> => {
      const { html } = await admin.get(path);
      return (
        html
          .split('<form class="form"')[1]
          ?.split('<details')[0]
          ?.match(/(?:select|input|textarea) id="\w+"/g) ?? []
      );
    };
    expect(await form('/publishers/new')).toHaveLength(4);
    expect((await admin.get('/publishers/new')).html).not.toContain('<details open');
    const { html } = await admin.post('/publishers/new', draft({ token_minutes: '100' }));
    expect(html.match(/<details open/g)).toHaveLength(2);
  });

  it('ask for the password before they change rights', async () => {
    const path = await make();
    nowMs += 6 * 60_000;
    for (const name of admin.cookies.keys()) if (name.includes('confirmed')) admin.cookies.delete(name);
    for (const page of ['/publishers/new', `${path}/edit`, `${path}/remove`]) {
      expect((await admin.get(page)).html, page).toContain('name="current_password"');
      expect((await admin.post(page, draft())).status, page).toBeGreaterThanOrEqual(400);
    }
    expect(await publishers().list()).toHaveLength(1);
    expect((await admin.post(`${path}/remove`, { current_password: password })).status).toBe(303);
    expect(await publishers().list()).toEqual([]);
  });
});
