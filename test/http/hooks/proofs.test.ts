// Tests the proofs of every provider: right, wrong, missing, empty, old and repeated, at both kinds of addresses.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordedPayloads, registeredAddresses } from '../../util/hook-payloads.ts';
import { senders, type Sender, type SentHook } from '../../util/hook-senders.ts';
import { newSecret, runHooks, type RunningHooks } from '../../util/running-hooks.ts';

const minuteMs = 60_000;
const paths = ['/hooks/{id}', '/hooks'];

/** The first payload of the provider, sent now. */
async function hookOf({ provider, send }: Sender, secret: string, atMs = Date.now()): Promise<SentHook> {
  const [{ event, payload }] = recordedPayloads[provider];
  return send(secret, { event, body: JSON.stringify(payload), atMs, id: randomUUID() });
}

function withProof({ proofs }: Sender, { headers, body }: SentHook, change: (value: string) => string | undefined) {
  const changed = Object.entries(headers).flatMap(([name, value]) => {
    const proof = proofs.includes(name) ? change(value) : value;
    return proof === undefined ? [] : [[name, proof] as const];
  });
  return { body, headers: Object.fromEntries(changed) };
}

const named = (some: readonly Sender[]) => some.map((sender) => [sender.title, sender] as const);

/** Registers the repository of the sender's payloads. `path`: with or without `{id}` */
function place(hooks: RunningHooks, { provider }: Sender, path = '/hooks/{id}') {
  const { id } = hooks.register(registeredAddresses[provider]);
  return { id, path: path.replace('{id}', id) };
}

describe.each(named(senders))('a webhook of %s', (_title, sender) => {
  it.each(paths)('at %s asks for a sync, if its proof is right', async (at) => {
    await using hooks = await runHooks();
    const { id, path } = place(hooks, sender, at);
    const reply = await hooks.send(path, await hookOf(sender, hooks.secret));
    expect([reply.status, reply.json()]).toMatchObject([
      202,
      { status: 'accepted', outcome: 'sync', repositories: [id] },
    ]);
    expect(hooks.received).toMatchObject([{ provider: sender.provider, concerns: [id], outcome: 'sync' }]);
  });

  it.each(paths)('at %s is refused with another secret', async (at) => {
    await using hooks = await runHooks();
    const { path } = place(hooks, sender, at);
    const reply = await hooks.send(path, await hookOf(sender, newSecret()));
    expect([reply.status, reply.json()['code']]).toEqual([403, 'HOOK_PROOF_INVALID']);
    expect(hooks.received).toEqual([]);
  });

  it.each(paths)('at %s is refused without a proof, and with an empty one', async (at) => {
    await using hooks = await runHooks();
    const { path } = place(hooks, sender, at);
    const hook = await hookOf(sender, hooks.secret);
    const schemes: readonly ((value: string) => string | undefined)[] = [
      () => undefined,
      () => '',
      (value) => /^(?:sha256=|Basic |Bearer )/.exec(value)?.[0] ?? '',
    ];
    for (const scheme of schemes) {
      const reply = await hooks.send(path, withProof(sender, hook, scheme));
      expect([reply.status, reply.json()['code']]).toEqual([401, 'HOOK_PROOF_REQUIRED']);
      expect(reply.headers['www-authenticate']).toContain('Bearer');
    }
    expect(hooks.received).toEqual([]);
  });

  it.each(paths)('at %s is accepted with the old secret and with the new one, while they are rotated', async (at) => {
    await using hooks = await runHooks();
    const { path } = place(hooks, sender, at);
    const [old, next] = [hooks.secret, hooks.rotate()];
    for (const secret of [old, next]) expect((await hooks.send(path, await hookOf(sender, secret))).status).toBe(202);
  });

  it('asks for nothing again when it is repeated', async () => {
    await using hooks = await runHooks();
    const { path } = place(hooks, sender);
    const hook = await hookOf(sender, hooks.secret);
    const answers = [await hooks.send(path, hook), await hooks.send(path, hook)];
    // a bearer token without an id: two requests are two pushes
    const hasId = sender.provider !== 'generic' || sender.by === 'message';
    expect(answers.map((answer) => [answer.status, answer.json()['status']])).toEqual([
      [202, 'accepted'],
      [202, hasId ? 'repeated' : 'accepted'],
    ]);
  });
});

describe.each(named(senders.filter(({ by }) => by !== 'secret')))('a signed webhook of %s', (_title, sender) => {
  it('is refused if another body has its signature', async () => {
    await using hooks = await runHooks();
    const { path } = place(hooks, sender);
    const { headers, body } = await hookOf(sender, hooks.secret);
    expect((await hooks.send(path, { headers, body: `${body} ` })).status).toBe(403);
  });
});

describe.each(named(senders.filter(({ by }) => by === 'message')))('a webhook with a time of %s', (_title, sender) => {
  it('is refused if its time is more than five minutes away', async () => {
    let nowMs = Date.UTC(2026, 10, 23, 18);
    await using hooks = await runHooks({ now: () => nowMs });
    const { path } = place(hooks, sender);
    const hook = await hookOf(sender, hooks.secret, nowMs);
    for (const [distance, status] of [
      [-5 * minuteMs, 202],
      [5 * minuteMs, 202],
      [-5 * minuteMs - 1000, 403],
      [5 * minuteMs + 1000, 403],
    ] as const) {
      nowMs = Date.UTC(2026, 10, 23, 18) + distance;
      const reply = await hooks.send(path, hook);
      expect([distance, reply.status]).toEqual([distance, status]);
      if (status === 403) expect(reply.json()['error']).toContain('Compare the clocks');
    }
  });

  it('is refused with a time that is none', async () => {
    await using hooks = await runHooks();
    const { path } = place(hooks, sender);
    const { headers, body } = await hookOf(sender, hooks.secret);
    for (const timestamp of ['', 'now', '1e9', '-1', '99999999999999']) {
      const reply = await hooks.send(path, { body, headers: { ...headers, 'webhook-timestamp': timestamp } });
      expect([timestamp, reply.status]).toEqual([timestamp, 403]);
    }
  });
});
