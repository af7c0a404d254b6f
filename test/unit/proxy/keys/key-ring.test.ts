// Tests the keys on disk: who may read them, who makes the first key, how other processes notice a new key, and which
// texts a key opens.

import { randomBytes } from 'node:crypto';
import { readdirSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../../build/shared/text/secret.ts';
import { createKeyRing, type KeyRing } from '../../../../proxy/keys/key-ring.ts';
import { createSealer } from '../../../../proxy/keys/sealer.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
let monotonicMs = 0;
beforeEach(() => void (folder = temporaryFolder('keys')));
afterEach(() => folder.remove());

const ring = (): KeyRing =>
  createKeyRing({ folder: folder.at('keys'), now: Date.now, randomBytes, monotonicMs: () => monotonicMs });

describe('the key ring', () => {
  it('makes the first key when one is needed, readable by its owner only', () => {
    expect(ring().list()).toEqual([]);
    ring().current('signing');
    ring().current('sealing');
    const modes = readdirSync(folder.at('keys'))
      .sort()
      .map((name) => [name, statSync(folder.at(join('keys', name))).mode & 0o777]);
    expect(modes).toEqual([
      ['sealing-0001.json', 0o600],
      ['signing-0001.json', 0o600],
    ]);
    expect(statSync(folder.at('keys')).mode & 0o777).toBe(0o700);
  });

  it('restricts a folder that others could read, when it writes there', () => {
    ring().current('signing');
    chmodSync(folder.at('keys'), 0o755);
    ring().rotate('signing');
    expect(statSync(folder.at('keys')).mode & 0o777).toBe(0o700);
  });

  it('is the same for two processes that make the first key at once', () => {
    const [one, other] = [ring(), ring()];
    expect([one.list(), other.list()]).toEqual([[], []]);
    expect(one.current('signing').kid).toBe(other.current('signing').kid);
    expect(readdirSync(folder.at('keys'))).toEqual(['signing-0001.json']);
  });

  it('row 42: another process signs with the new key within two seconds, and verifies with it at once', () => {
    const [one, other] = [ring(), ring()];
    const first = other.current('signing');
    const second = one.rotate('signing');
    expect(other.find('signing', second.kid)?.number).toBe(2);
    expect(other.current('signing').kid).toBe(second.kid);
    const third = one.rotate('signing');
    expect(other.current('signing').kid).toBe(second.kid);
    monotonicMs += 2000;
    expect(other.current('signing').kid).toBe(third.kid);
    expect(other.find('signing', first.kid)).toMatchObject({ number: 1, ends_at: null });
  });

  it('a key ends when its successor says so, or when a later key names an earlier time', () => {
    const keys = ring();
    keys.current('signing');
    const [later, sooner] = [Date.parse('2030-01-02T00:00:00Z'), Date.parse('2030-01-01T00:00:00Z')];
    keys.rotate('signing', later);
    keys.rotate('signing', sooner);
    expect(keys.list().map(({ number, ends_at }) => [number, ends_at])).toEqual([
      [3, null],
      [2, '2030-01-01T00:00:00.000Z'],
      [1, '2030-01-01T00:00:00.000Z'],
    ]);
  });

  it('names the damaged file, and reads no other', () => {
    ring().current('signing');
    writeFileSync(folder.at('keys/notes.txt'), 'x');
    expect(ring().list()).toHaveLength(1);
    writeFileSync(folder.at('keys/signing-0002.json'), '{"kid":');
    expect(() => ring().current('signing')).toThrow(/signing-0002\.json cannot be used: is not a key/);
  });
});

describe('the sealer', () => {
  const sealer = (keys = ring()) => createSealer(keys, randomBytes);

  it('row 30: opens a sealed text for its owner and nobody else', () => {
    const sealed = sealer().seal(new Secret('hunter2'), 'repo_a');
    expect(sealed).not.toContain('hunter2');
    expect(sealer().unseal(sealed, 'repo_a').reveal()).toBe('hunter2');
    expect(() => sealer().unseal(sealed, 'repo_b')).toThrow(/cannot be decrypted/);
  });

  it('seals the same text differently every time', () => {
    const { seal } = sealer();
    expect(seal(new Secret('x'), 'a')).not.toBe(seal(new Secret('x'), 'a'));
  });

  it('refuses a text that was changed anywhere, and the error shows no secret', () => {
    const sealed = sealer().seal(new Secret('hunter2'), 'a');
    const parts = sealed.split('.');
    for (const at of [1, 2, 3]) {
      const changed = parts
        .map((part, index) => (index === at ? `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}` : part))
        .join('.');
      expect(() => sealer().unseal(changed, 'a')).toThrow(/cannot be decrypted|is missing/);
    }
    for (const text of ['', 'v1', 'v2.a.b.c', `${parts.slice(0, 3).join('.')}.`, `${parts.slice(0, 3).join('.')}.AAAA`])
      expect(() => sealer().unseal(text, 'a')).toThrow();
  });

  it('opens older texts after a rotation, and reseals each once', () => {
    const keys = ring();
    const before = sealer(keys).seal(new Secret('hunter2'), 'a');
    const { kid } = keys.rotate('sealing');
    const after = sealer(keys).reseal(before, 'a');
    expect(after.split('.')[1]).toBe(kid);
    expect([before, after].map((sealed) => sealer(keys).unseal(sealed, 'a').reveal())).toEqual(['hunter2', 'hunter2']);
    expect(sealer(keys).reseal(after, 'a')).toBe(after);
  });
});
