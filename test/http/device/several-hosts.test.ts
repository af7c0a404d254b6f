// Tests the device flow on three hosts with one state: each step may come to another host, and a code works once.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPasswords } from '../../../proxy/auth/password.ts';
import { createPeople } from '../../../proxy/auth/people.ts';
import { standardRules } from '../../../proxy/auth/people-rules.ts';
import { createTerminals, type Terminals } from '../../../proxy/device/terminals.ts';
import { createKeyRing } from '../../../proxy/keys/key-ring.ts';
import { createSealer } from '../../../proxy/keys/sealer.ts';
import { verifyAudit } from '../../../proxy/state/audit.ts';
import { openLmdbStore } from '../../../proxy/state/lmdb-store.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { assertState } from '../../util/assert-state.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';

const address = '192.0.2.7';
const outcome = (asking: Promise<unknown>): Promise<unknown> =>
  asking.then(
    () => 'token',
    (error: unknown) => (error as { readonly code: unknown }).code,
  );

it('three hosts share the codes, the pace of a terminal and the one token', async () => {
  await using folder = temporaryFolder('several-hosts');
  const now = () => Date.parse('2026-11-21T09:00:00Z');
  const stores: StateStore[] = [];
  for (let count = 0; count < 3; count += 1) stores.push(await openLmdbStore(folder.at('state')));
  const hosts = stores.map((state) => createTerminals({ state, now, randomBytes }));
  const host = (at: number): Terminals => hosts[at] ?? expect.fail();
  const [state = expect.fail()] = stores;
  const keys = createKeyRing({ folder: folder.at('keys'), now, randomBytes });
  const people = createPeople({
    state,
    keys,
    sealer: createSealer(keys, randomBytes),
    passwords: createPasswords({ randomBytes, cost: { cost: 16, blockSize: 1, parallelization: 1 } }),
    now,
    randomBytes,
    rules: () => standardRules,
  });
  const draft = { email: 'ada@example.org', role: 'viewer', password: 'a staple for every battery' } as const;
  const { record } = await people.usersOf('cli:test').create(draft);
  const wish = { client: 'libretto-cli', machine: 'ada-laptop', days: undefined };
  const { deviceCode, userCode } = await host(0).begin(wish, address);
  const ask = (at: number) => outcome(host(at).redeem('libretto-cli', deviceCode.reveal()));

  expect(await ask(1)).toBe('authorization_pending');
  expect(await ask(2)).toBe('slow_down');
  const visitor = { userId: record.id, address };
  expect(await host(1).find(visitor, userCode)).toMatchObject({ machine: 'ada-laptop', days: 30, address });
  const decisions = [true, true, true].map((approved, at) => outcome(host(at).decide(visitor, userCode, approved)));
  expect((await Promise.all(decisions)).toSorted()).toEqual(['NOT_FOUND', 'NOT_FOUND', 'token']);
  expect((await Promise.all([0, 1, 2, 0, 1, 2].map(ask))).toSorted()).toEqual([
    ...Array.from({ length: 5 }, () => 'invalid_grant'),
    'token',
  ]);
  const rows = JSON.stringify(await state.range(''));
  for (const code of [deviceCode.reveal(), userCode]) expect(rows).not.toContain(code);
  expect(await verifyAudit(state)).toMatchObject({ sound: true });
  await assertState(state);
  await Promise.all(stores.map((store) => store.close()));
});
