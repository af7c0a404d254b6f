// Tests commands about settings and the audit log of a remote registry: they print what they print on its host, and a
// change becomes a link to the form of the console.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startSignedInRegistry, type SignedInRegistry } from '../util/signed-in-registry.ts';

let registry: SignedInRegistry;
beforeAll(async () => void (registry = await startSignedInRegistry('remote-people')));
afterAll(() => registry.close());

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
/** The documents of a command on the host and with --url. */
const both = async (...args: readonly string[]): Promise<readonly [there: unknown, host: unknown]> => {
  const { stdout, stderr, exitCode } = await registry.there(...args, '--json');
  expect(exitCode, stderr).toBe(0);
  return [json(stdout), json(await registry.host(...args, '--json'))];
};

describe('libretto settings --url', () => {
  it('lists the settings as on the host', async () => {
    const [there, host] = await both('settings', 'list');
    expect(there).toEqual(host);
  });

  it.each([
    ['limits.read', '2500', 'value="2500"'],
    ['mirroring.enabled', 'true', ' checked'],
    ['mirroring.allow', '["acme/*","symfony/*"]', '>acme/*\nsymfony/*<'],
    ['warnings', '[{"versions":"<2.5","message":"Update: now"}]', '>&lt;2.5: Update: now<'],
    ['advertise', '["search","list"]', 'value="list" checked'],
  ])('fills in the form of %s', async (key, value, shown) => {
    const asked = await registry.there('settings', 'set', key, value);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was changed.')]);
    expect((await registry.opened(asked.stdout)).html).toContain(shown);
  });

  it('asks in the console before a change is removed', async () => {
    await registry.host('settings', 'set', 'limits.write', '9');
    const asked = await registry.there('settings', 'unset', 'limits.write');
    expect((await registry.opened(asked.stdout)).text).toContain('Remove the change of limits.write?');
    const unknown = await registry.there('settings', 'set', 'limit.read', '5');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean limits.read?')]);
  });
});

describe('libretto audit --url', () => {
  it('lists events as on the host, also more than a page has, with filters', async () => {
    await registry.host('settings', 'set', 'limits.read', '7');
    for (const args of [
      ['--limit', '2'],
      ['--action', 'settings.update', '--since', '2020-01-31', '--until', '2099-01-31'],
      ['--limit', '1000'],
    ]) {
      const [there, host] = await both('audit', 'list', ...args);
      expect(there).toEqual(host);
    }
    const none = await registry.there('audit', 'list', '--subject', 'nothing');
    expect([none.exitCode, none.stderr]).toEqual([0, 'There is no such event in the audit log.']);
  });

  it('verifies only the log of this host', async () => {
    const { exitCode, stderr } = await registry.there('audit', 'verify');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--url')]);
  });
});
