// Tests the traps of webhooks that are known from other receivers, one test for each, named after it.

import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { azureTest, recordedPayloads, registeredAddresses } from '../../util/hook-payloads.ts';
import {
  bitbucketCloud,
  bitbucketServer,
  gitea,
  github,
  gitlabSigned,
  gitlabToken,
  senders,
  type Sender,
  type SentHook,
} from '../../util/hook-senders.ts';
import { newSecret, runHooks } from '../../util/running-hooks.ts';

const [push] = recordedPayloads.github;
const pushed = { ...push, body: JSON.stringify(push.payload) };
const now = (): { readonly id: string; readonly atMs: number } => ({ id: randomUUID(), atMs: Date.now() });

/** The hook with these headers instead. */
const changed = ({ headers, body }: SentHook, other: Readonly<Record<string, string>>): SentHook => ({
  body,
  headers: { ...headers, ...other },
});

const hmac = (algorithm: string, secret: string, body: string): string =>
  createHmac(algorithm, secret).update(body).digest('hex');

describe('the proof', () => {
  it('is over the raw bytes: spaces and escapes of the body stay as they were sent', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    for (const body of ['{ "a" :\n"\\u00fc" }\n', '{"a":1,"a":2}', 'no JSON', '\u{1f511}']) {
      const reply = await hooks.send(path, await github.send(hooks.secret, { ...now(), event: 'push', body }));
      expect([body, reply.status]).toEqual([body, 202]);
    }
  });

  it('of a form of Gitea is over the payload in it, and not over the form', async () => {
    await using hooks = await runHooks();
    const { id } = hooks.register(registeredAddresses.gitea);
    const json = JSON.stringify({ ...recordedPayloads.gitea[0].payload, text: 'ü + 100 % & = \u{1f511}' }, null, 2);
    const signed = await gitea.send(hooks.secret, { ...now(), event: 'push', body: json });
    const headers = { ...signed.headers, 'content-type': 'application/x-www-form-urlencoded' };
    const form = new URLSearchParams({ payload: json }).toString();
    const reply = await hooks.send('/hooks', { headers, body: form });
    expect([reply.status, reply.json()['repositories']]).toEqual([202, [id]]);
    const others = [
      json,
      `${form}&more=1`,
      form.slice(1),
      `${form}%`,
      form.replace('%', '%z'),
      form.replace('ref', 'rex'),
    ];
    for (const body of others) {
      const { status } = await hooks.send('/hooks', {
        headers: { ...headers, 'x-gitea-delivery': randomUUID() },
        body,
      });
      expect([body.slice(0, 30), status]).toEqual([body.slice(0, 30), 403]);
    }
  });

  it('of a form is over the form, as GitHub sends it', async () => {
    await using hooks = await runHooks();
    const { id } = hooks.register(registeredAddresses.github);
    const json = JSON.stringify(push.payload);
    // curl calls JSON a form, too
    for (const body of [new URLSearchParams({ payload: json }).toString(), json]) {
      const hook = changed(await github.send(hooks.secret, { ...now(), event: 'push', body }), {
        'content-type': 'application/x-www-form-urlencoded',
      });
      const reply = await hooks.send('/hooks', hook);
      expect([reply.status, reply.json()['repositories']]).toEqual([202, [id]]);
    }
  });

  it('is none where Gitea sends `sha256=` without a secret', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.gitea);
    const hook = await gitea.send(hooks.secret, { ...now(), event: 'push', body: '{}' });
    const unsigned = changed(hook, { 'x-hub-signature-256': 'sha256=', 'x-gitea-signature': '' });
    expect((await hooks.send(path, unsigned)).status).toBe(401);
  });

  it('is SHA-256 only: a right SHA-1 is none at GitHub, and wrong at Bitbucket', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const body = '{}';
    const sha1 = `sha1=${hmac('sha1', hooks.secret, body)}`;
    const { 'x-hub-signature-256': _, ...headers } = (
      await github.send(hooks.secret, { ...now(), event: 'push', body })
    ).headers;
    expect((await hooks.send(path, { body, headers: { ...headers, 'x-hub-signature': sha1 } })).status).toBe(401);
    const cloud = await bitbucketCloud.send(hooks.secret, { ...now(), event: 'repo:push', body });
    expect((await hooks.send(path, changed(cloud, { 'x-hub-signature': sha1 }))).status).toBe(403);
  });

  it('takes no algorithm from the header', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const hook = await github.send(hooks.secret, { ...now(), event: 'push', body: '{}' });
    for (const algorithm of ['sha512', 'sha1', 'md5']) {
      const right = `${algorithm}=${hmac(algorithm, hooks.secret, '{}')}`;
      const reply = await hooks.send(path, changed(hook, { 'x-hub-signature-256': right }));
      expect([algorithm, reply.status]).toEqual([algorithm, 403]);
    }
    const signed = await gitlabSigned.send(hooks.secret, { ...now(), event: 'Push Hook', body: '{}' });
    const otherScheme = signed.headers['webhook-signature']?.replace('v1,', 'v1a,') ?? '';
    expect((await hooks.send(path, changed(signed, { 'webhook-signature': otherScheme }))).status).toBe(403);
  });

  it('of a rotating sender is a list, in which one signature must be right', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.gitlab);
    const sending = { ...now(), event: 'Push Hook', body: '{}' };
    const [other, right] = [
      await gitlabSigned.send(newSecret(), sending),
      await gitlabSigned.send(hooks.secret, sending),
    ];
    const list = `v1a,AAAA ${other.headers['webhook-signature']} ${right.headers['webhook-signature']}`;
    expect((await hooks.send(path, changed(right, { 'webhook-signature': list }))).status).toBe(202);
  });

  it('of GitLab is its signature where it sends one: a right token does not replace it', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.gitlab);
    const signed = await gitlabSigned.send(newSecret(), { ...now(), event: 'Push Hook', body: '{}' });
    expect((await hooks.send(path, changed(signed, { 'x-gitlab-token': hooks.secret }))).status).toBe(403);
  });

  it('of Gitea is wrong if one of its signatures is wrong', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.gitea);
    const hook = await gitea.send(hooks.secret, { ...now(), event: 'push', body: '{}' });
    for (const name of gitea.proofs) {
      const value = (hook.headers[name] ?? '').replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      expect([name, (await hooks.send(path, changed(hook, { [name]: value }))).status]).toEqual([name, 403]);
    }
  });

  it('of one provider is none of another: a body signature is no token, and the secret is no signature', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const signature = hmac('sha256', hooks.secret, '{}');
    const headers = { 'content-type': 'application/json' };
    for (const proof of [
      { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': signature },
      { authorization: `Bearer ${signature}` },
      { 'x-github-event': 'push', 'x-hub-signature-256': hooks.secret },
    ])
      expect((await hooks.send(path, { body: '{}', headers: { ...headers, ...proof } })).status).toBe(403);
  });
});

describe('a relay', () => {
  it.each([['x-hook-uuid'], ['x-request-uuid'], ['x-hook-uuid', 'x-request-uuid', 'x-attempt-number']])(
    'that drops %s of Bitbucket Cloud loses no push',
    async (...dropped) => {
      await using hooks = await runHooks();
      const { id, path } = hooks.register(registeredAddresses.bitbucket);
      const [{ event, payload }] = recordedPayloads.bitbucket;
      const sending = { event, body: JSON.stringify(payload), ...now() };
      const { headers, body } = await bitbucketCloud.send(hooks.secret, sending);
      const left = Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.includes(name)));
      for (const at of [path, '/hooks'])
        expect((await hooks.send(at, { headers: left, body })).json()).toMatchObject({
          outcome: 'sync',
          repositories: [id],
        });
      expect(hooks.received[0]).toMatchObject({ provider: 'bitbucket' });
      if (!dropped.includes('x-request-uuid')) expect(hooks.received[0]).toMatchObject({ id: sending.id });
    },
  );
});

describe('the answer', () => {
  const withEvents = senders.filter(({ provider }) => provider !== 'generic');
  it.each(withEvents.map((sender) => [sender.title, sender] as const))(
    'to an event of %s that does not concern code is a success, and no sync',
    async (_title, sender) => {
      const event = { gitlab: 'Issue Hook', azure: 'build.complete' }[sender.provider as string] ?? 'issues';
      await using hooks = await runHooks();
      const { path } = hooks.register(registeredAddresses[sender.provider]);
      const body = JSON.stringify({ eventType: event });
      for (const at of [path, '/hooks']) {
        const reply = await hooks.send(at, await sender.send(hooks.secret, { ...now(), event, body }));
        expect([reply.status, reply.json()]).toMatchObject([202, { outcome: 'not about code', repositories: [] }]);
      }
      expect(hooks.received.map(({ concerns, outcome }) => [concerns, outcome])).toEqual([
        [[], 'not about code'],
        [[], 'not about code'],
      ]);
    },
  );

  it('to a repository that is not registered is a success, so that the provider keeps the hook', async () => {
    await using hooks = await runHooks();
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const bodies = [
      pushed.body,
      '{}',
      'no JSON',
      '[]',
      'null',
      '{"repository":{"clone_url":7}}',
      '\xff',
      deep,
      '"',
      '}',
    ];
    for (const body of bodies) {
      const reply = await hooks.send('/hooks', await github.send(hooks.secret, { ...now(), event: 'push', body }));
      expect([body, reply.status, reply.json()['outcome']]).toEqual([body, 202, 'unknown repository']);
    }
  });

  it('to an unreadable form is a success, too', async () => {
    await using hooks = await runHooks();
    for (const body of ['payload=%', 'payload=%ff', 'payload', 'a=b', 'payload=no+JSON']) {
      const hook = changed(await github.send(hooks.secret, { ...now(), event: 'push', body }), {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      });
      const reply = await hooks.send('/hooks', hook);
      expect([body, reply.status, reply.json()['outcome']]).toEqual([body, 202, 'unknown repository']);
    }
  });

  it('to a ping of GitHub is 200 with what a push would sync', async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses.github);
    for (const at of [path, '/hooks']) {
      const ping = await github.send(hooks.secret, { ...now(), event: 'ping', body: pushed.body });
      const reply = await hooks.send(at, ping);
      expect([reply.status, reply.json()]).toMatchObject([200, { outcome: 'ping', repositories: [id] }]);
    }
    expect(hooks.received.map(({ concerns, outcome }) => [concerns, outcome])).toEqual([
      [[], 'ping'],
      [[], 'ping'],
    ]);
  });

  it("to a ping of an organisation's webhook is 200 with its registered repositories", async () => {
    await using hooks = await runHooks();
    const [one, two] = ['https://github.com/acme/one.git', 'git@github.com:acme/two.git'].map(hooks.register);
    hooks.register('https://github.com/other/three.git');
    const ada: object | undefined = { login: 'ada', html_url: 'https://github.com/ada' };
    const ping = async (login: string, sender = ada, api = 'https://api.github.com') => {
      const organization = { login, url: `${api}/orgs/${login}` };
      const body = JSON.stringify({ zen: 'Design for failure.', hook: { type: 'Organization' }, organization, sender });
      return hooks.send('/hooks', await github.send(hooks.secret, { ...now(), event: 'ping', body }));
    };
    expect((await ping('acme')).json()).toMatchObject({ outcome: 'ping', repositories: [one?.id, two?.id] });
    expect((await ping('acme', {})).json()).toMatchObject({ repositories: [one?.id, two?.id] });
    const inside = hooks.register('https://ghe.example.org/acme/four.git');
    expect((await ping('acme', {}, 'https://ghe.example.org/api/v3')).json()).toMatchObject({
      repositories: [inside.id],
    });
    const nobody = await ping('nobody');
    expect([nobody.status, nobody.json()]).toMatchObject([200, { repositories: [] }]);
    expect(nobody.json()['message']).toContain('names no registered repository');
  });

  it('to the signed test of Bitbucket Data Center is 200 with what a push would sync', async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses['bitbucket-server']);
    const test = { ...now(), event: 'diagnostics:ping', body: '{"test":true}' };
    const reply = await hooks.send(path, await bitbucketServer.send(hooks.secret, test));
    expect([reply.status, reply.json()]).toMatchObject([200, { outcome: 'ping', repositories: [id] }]);
  });

  it('to the test of Azure DevOps is 200, and a second test is not a repeated one', async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses.azure);
    const azure = senders.find(({ provider }) => provider === 'azure') as Sender;
    const test = await azure.send(hooks.secret, { ...now(), event: '', body: JSON.stringify(azureTest) });
    for (const [at, repositories] of [
      [path, [id]],
      [path, [id]],
      ['/hooks', []],
    ] as const) {
      const reply = await hooks.send(at, test);
      expect([reply.status, reply.json()]).toMatchObject([200, { outcome: 'ping', repositories }]);
    }
    expect(new Set(hooks.received.map((delivery) => delivery.id)).size).toBe(3);
  });

  it("to GitLab's test button is a success that names the repository: GitLab sends an ordinary push", async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses.gitlab);
    const [{ event, payload }] = recordedPayloads.gitlab;
    const test = { ...now(), event, body: JSON.stringify(payload) };
    for (const sender of [gitlabSigned, gitlabToken]) {
      const reply = await hooks.send(path, await sender.send(hooks.secret, { ...test, id: randomUUID() }));
      expect([reply.status, reply.json()['repositories']]).toEqual([202, [id]]);
    }
  });

  it('is never 410, which ends a subscription of Azure DevOps, nor another error to a right proof', async () => {
    await using hooks = await runHooks();
    const azure = senders.find(({ provider }) => provider === 'azure') as Sender;
    const { path } = hooks.register(registeredAddresses.azure);
    const bodies = ['', '{}', '{"eventType":7}', `{"eventType":"git.push","resource":null}`, '{"__proto__":{"x":1}}'];
    for (const body of bodies)
      for (const at of [path, '/hooks']) {
        const reply = await hooks.send(at, await azure.send(hooks.secret, { ...now(), event: '', body }));
        expect([body, at, reply.status]).toEqual([body, at, 202]);
      }
  });

  it('to many right hooks of one address is always a success, also after many wrong ones', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const wrong = await github.send(newSecret(), { ...now(), event: 'push', body: '{}' });
    const statuses = new Map<number, number>();
    for (let count = 0; count < 110; count += 1) {
      const { status } = await hooks.send(path, wrong);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [403, 100],
      [429, 10],
    ]);
    for (let count = 0; count < 20; count += 1)
      expect(
        (await hooks.send(path, await github.send(hooks.secret, { ...now(), event: 'push', body: '{}' }))).status,
      ).toBe(202);
  });
});
