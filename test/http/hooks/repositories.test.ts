// Tests how a webhook for all repositories finds its repository: by the clone address in the payload of each provider.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordedPayloads, registeredAddresses } from '../../util/hook-payloads.ts';
import { github, senders } from '../../util/hook-senders.ts';
import { runHooks } from '../../util/running-hooks.ts';

const sendings = senders.flatMap((sender) =>
  recordedPayloads[sender.provider].map((recorded, at) => [sender.title, at + 1, sender, recorded] as const),
);

describe('POST /hooks', () => {
  it.each(sendings)('finds the repository of %s, payload %i', async (_title, _at, sender, { event, payload }) => {
    await using hooks = await runHooks();
    for (const address of Object.values(registeredAddresses)) hooks.register(`${address}-other`);
    const { id } = hooks.register(registeredAddresses[sender.provider]);
    const body = JSON.stringify(payload);
    const hook = await sender.send(hooks.secret, { event, body, atMs: Date.now(), id: randomUUID() });
    const reply = await hooks.send('/hooks', hook);
    expect([reply.status, reply.json()]).toMatchObject([202, { outcome: 'sync', repositories: [id] }]);
  });

  it('syncs each registration of the repository, and every repository once', async () => {
    await using hooks = await runHooks();
    const ids = ['https://github.com/acme/tool', 'git@github.com:acme/tool.git'].map((url) => hooks.register(url).id);
    const [{ event, payload }] = recordedPayloads.github;
    const sending = { event, body: JSON.stringify(payload), atMs: Date.now(), id: randomUUID() };
    expect((await hooks.send('/hooks', await github.send(hooks.secret, sending))).json()['repositories']).toEqual(ids);
  });

  it('has a secret of its own, and needs one', async () => {
    await using hooks = await runHooks({ isShared: false });
    const sending = { event: 'push', body: '{}', atMs: Date.now(), id: randomUUID() };
    expect((await hooks.send('/hooks', await github.send(hooks.secret, sending))).status).toBe(403);
  });
});

describe('POST /hooks/{id}', () => {
  it('answers an unknown repository as one with another secret, so that ids cannot be tried', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const unknown = `/hooks/repo_${'0'.repeat(16)}`;
    const sending = { event: 'push', body: '{}', atMs: Date.now(), id: randomUUID() };
    for (const sender of senders) {
      const hook = await sender.send(`whsec_${Buffer.alloc(32).toString('base64')}`, sending);
      const [known, other] = [await hooks.send(path, hook), await hooks.send(unknown, hook)];
      expect(known.status).toBe(403);
      expect([other.status, other.json()]).toEqual([known.status, known.json()]);
      const { 'content-length': length, 'content-type': type } = other.headers;
      expect([length, type]).toEqual([known.headers['content-length'], known.headers['content-type']]);
    }
  });

  it('is 404 for what cannot be an id', async () => {
    await using hooks = await runHooks();
    for (const path of ['/hooks/', '/hooks/repo_1', '/hooks/repo_../../etc', '/hooks/%72epo_0000000000000000', '/hook'])
      expect([path, (await hooks.proxy.send('POST', path, {}, '{}')).status]).toEqual([path, 404]);
  });
});
