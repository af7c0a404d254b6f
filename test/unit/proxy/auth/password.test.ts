// Tests passwords: their stored form, the cost of a check, and the number of checks at once.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assertPassword, createPasswords, standardCost, type Derive } from '../../../../proxy/auth/password.ts';
import { createPeople } from '../../../../proxy/auth/people.ts';
import { standardRules } from '../../../../proxy/auth/people-rules.ts';
import { createKeyRing } from '../../../../proxy/keys/key-ring.ts';
import { createSealer } from '../../../../proxy/keys/sealer.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const cost = { cost: 16, blockSize: 1, parallelization: 1 };

describe('a password', () => {
  it('is stored as scrypt with its salt and parameters: N=2^15, r=8, p=3', async () => {
    const encoded = await createPasswords({ randomBytes }).hash('correct horse battery');
    expect(encoded).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/);
  });

  it('is accepted in both encodings of é and refused without its accent, whatever cost it was stored with', async () => {
    const encoded = await createPasswords({ randomBytes, cost }).hash('caf\u00e9 au lait, chaud');
    const others = createPasswords({ randomBytes, cost: { ...cost, cost: 32 } });
    expect(await others.verify('cafe\u0301 au lait, chaud', encoded)).toBe(true);
    expect(await others.verify('cafe au lait, chaud', encoded)).toBe(false);
  });

  it('has 12 to 200 characters', () => {
    const rules = { shortestPassword: 12 };
    for (const good of ['x'.repeat(12), 'x'.repeat(200), '\u{1f600}'.repeat(12)])
      expect(() => assertPassword(good, rules)).not.toThrow();
    for (const bad of ['', 'x'.repeat(11), 'x'.repeat(201), '\u{1f600}'.repeat(11)])
      expect(() => assertPassword(bad, rules)).toThrow(/characters; at (?:least|most)/);
    expect(() => assertPassword('x'.repeat(15), { shortestPassword: 16 })).toThrow(/at least 16/);
  });

  it('the password of an unknown user is never right', async () => {
    expect(await createPasswords({ randomBytes, cost }).verify('', undefined)).toBe(false);
  });
});

describe('F13, row 33: an attacker who tests accounts', () => {
  it('causes one scrypt with the same parameters for an unknown user, a disabled user and a wrong password', async () => {
    const folder = temporaryFolder('keys');
    const costs: unknown[] = [];
    const counting: Derive = async (_password, salt, cost) => {
      costs.push({ ...cost, salt: salt.length });
      return Buffer.alloc(32, 1);
    };
    const keys = createKeyRing({ folder: folder.at('keys'), now: Date.now, randomBytes });
    const passwords = createPasswords({ randomBytes, derive: counting });
    const people = createPeople({
      state: createMemoryStore(),
      keys,
      sealer: createSealer(keys, randomBytes),
      passwords,
      now: Date.now,
      randomBytes,
      rules: () => standardRules,
    });
    const password = 'correct horse battery';
    await people.usersOf('cli:test').create({ email: 'ada@example.org', role: 'admin', password });
    const invited = await people.usersOf('cli:test').create({ email: 'bob@example.org', role: 'admin' });
    const disabled = await people.usersOf('cli:test').create({ email: 'eve@example.org', role: 'admin', password });
    await people.usersOf('cli:test').update(disabled.record.id, { status: 'disabled' });
    expect(invited.record.status).toBe('invited');
    const spent: unknown[][] = [];
    for (const email of ['nobody@example.org', 'bob@example.org', 'eve@example.org', 'not an email']) {
      costs.length = 0;
      await expect(people.login({ email, password }, '192.0.2.1')).rejects.toMatchObject({
        code: 'INVALID_CREDENTIALS',
      });
      spent.push([...costs]);
    }
    costs.length = 0;
    await people.login({ email: 'ada@example.org', password }, '192.0.2.1');
    spent.push([...costs]);
    expect(spent).toEqual(Array.from({ length: 5 }, () => [{ ...standardCost, salt: 16 }]));
    await folder.remove();
  });
});

describe('row 34: many logins at once', () => {
  it('two passwords are checked at a time, twenty logins wait, and later logins are told to retry', async () => {
    let [running, most] = [0, 0];
    const ends: (() => void)[] = [];
    const slow: Derive = async () => {
      most = Math.max(most, (running += 1));
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      return Buffer.alloc(32, 1);
    };
    const passwords = createPasswords({ randomBytes, derive: slow });
    const all = Array.from({ length: 50 }, () =>
      passwords.hash('correct horse battery').then(
        () => 'hashed',
        (error: unknown) => (error as { code: string; details: object }).code,
      ),
    );
    let settled = false;
    const outcomes = Promise.all(all).finally(() => (settled = true));
    while (!settled) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const counts = (await outcomes).reduce<Record<string, number>>(
      (count, outcome) => ({ ...count, [outcome]: (count[outcome] ?? 0) + 1 }),
      {},
    );
    expect(counts).toEqual({ hashed: 22, TOO_MANY_ATTEMPTS: 28 });
    expect(most).toBe(2);
  });

  it('a failed check gives its place to the next login', async () => {
    let calls = 0;
    const passwords = createPasswords({
      randomBytes,
      derive: async () => ((calls += 1) <= 2 ? Promise.reject(new Error('no memory')) : Buffer.alloc(32)),
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => passwords.hash('x')));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  });
});
