// Tests that the payload of a webhook is a hint, and never data: it only says which repository may have changed.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordedPayloads, registeredAddresses } from '../../util/hook-payloads.ts';
import { github } from '../../util/hook-senders.ts';
import { runHooks } from '../../util/running-hooks.ts';

const [push] = recordedPayloads.github;
const now = (): { readonly id: string; readonly atMs: number } => ({ id: randomUUID(), atMs: Date.now() });

describe('the payload', () => {
  it('is a hint: a hook asks for the whole repository, so tags without an event arrive with the next push', async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses.github);
    const body = JSON.stringify({ ...push.payload, ref: 'refs/tags/9.9.9', after: 'f'.repeat(40) });
    await hooks.send(path, await github.send(hooks.secret, { ...now(), event: 'push', body }));
    const [delivery] = hooks.received;
    expect(delivery?.concerns).toEqual([id]);
    expect(JSON.stringify(delivery)).not.toMatch(/9\.9\.9|ffff/);
  });

  it('names no path, host or repository for the address of one repository', async () => {
    await using hooks = await runHooks();
    const { id, path } = hooks.register(registeredAddresses.github);
    hooks.register('https://git.example.org/other/repository');
    const body = JSON.stringify({ repository: { clone_url: 'https://git.example.org/other/repository' } });
    const reply = await hooks.send(path, await github.send(hooks.secret, { ...now(), event: 'push', body }));
    expect(reply.json()['repositories']).toEqual([id]);
  });

  it.each([
    [25_000, 'sync'],
    [35_000, 'unknown repository'],
  ])('with %i members has the outcome: %s', async (count, outcome) => {
    await using hooks = await runHooks();
    hooks.register('https://github.com/acme/tool.git');
    const members = Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, at]));
    const body = JSON.stringify({ repository: { clone_url: 'https://github.com/acme/tool.git' }, members });
    const reply = await hooks.send('/hooks', await github.send(hooks.secret, { ...now(), event: 'push', body }));
    expect([reply.status, reply.json()['outcome']]).toEqual([202, outcome]);
  });

  it('reaches the inbox only as a short id and a short event', async () => {
    await using hooks = await runHooks();
    const { path } = hooks.register(registeredAddresses.github);
    const hook = await github.send(hooks.secret, { ...now(), event: `push ${'x'.repeat(500)}`, body: '{}' });
    await hooks.send(path, { ...hook, headers: { ...hook.headers, 'x-github-delivery': 'y'.repeat(500) } });
    const [delivery] = hooks.received;
    expect(delivery?.id).toMatch(/^[\x21-\x7e]{1,200}$/);
    expect(delivery?.event).toMatch(/^[\x20-\x7e]{1,80}$/);
  });
});
