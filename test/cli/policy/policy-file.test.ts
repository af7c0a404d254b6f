// I26, I8. Tests policy.json with the shipped program: each change of the file is an event of the audit log, and a
// server does not start with a file that cannot be used.

import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRegistry, type Registry } from '../../util/registry.ts';
import { below, temporaryTree } from '../../util/package-tree.ts';
import { whoLibrary } from '../../util/who-library.ts';
import { itInSeries } from '../../util/series.ts';

const rule = { name: 'abandoned', rule: 'abandoned', action: 'block' };
let registry: Registry;
const write = (policy: unknown): void => writeFileSync(registry.folder.at('policy.json'), JSON.stringify(policy));

beforeAll(async () => {
  registry = await startRegistry({
    sources: [temporaryTree(below('acme/app', whoLibrary('acme/app', '1.0.0'))).root],
    prepare: (folder) => {
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ policy: 'policy.json' }));
      writeFileSync(folder.at('policy.json'), JSON.stringify({ rules: [rule] }));
    },
  });
});
afterAll(() => registry.stop());

async function events(): Promise<readonly unknown[]> {
  const { stdout } = await registry.cli('audit', 'list', '--json');
  const { events: all } = JSON.parse(stdout) as { readonly events: readonly Record<string, unknown>[] };
  return all
    .filter(({ action }) => action === 'policy.update')
    .map(({ actor, subject, details }) => [actor, subject, (details as Record<string, unknown>)['changes']]);
}
const change = (kind: string, name: string): unknown => [
  'system:policy',
  'policy',
  [expect.objectContaining({ change: kind, rule: expect.objectContaining({ name }) as never })],
];
const request = (): Promise<Response> =>
  fetch(`${registry.direct()}/p2/acme/app.json`, { headers: { authorization: `Bearer ${registry.token}` } });

it('the file of the first start, a change while serving, and a change between two runs are events', async () => {
  await expect.poll(events, { timeout: 60_000 }).toEqual([change('added', 'abandoned')]);
  write({ rules: [{ ...rule, action: 'log' }] });
  const changed = async (): Promise<number> => {
    await request();
    return (await events()).length;
  };
  await expect.poll(changed, { timeout: 60_000 }).toBe(2);
  await registry.stopServer();
  write({ rules: [] });
  await registry.startServer();
  await expect.poll(async () => (await events()).length, { timeout: 60_000 }).toBe(3);
  expect(await events()).toEqual(
    expect.arrayContaining([
      change('added', 'abandoned'),
      change('changed', 'abandoned'),
      change('removed', 'abandoned'),
    ]),
  );
  const lines = (): readonly unknown[] =>
    registry.log().filter(({ msg }) => msg === 'the policy of the file is in effect');
  await expect.poll(() => lines().length, { timeout: 60_000 }).toBe(1);
});

itInSeries('a server without the file uses the policy of the state, and the change is an event', async () => {
  await registry.stopServer();
  write({ rules: [rule] });
  const config = registry.folder.at('libretto.json');
  const before = (await events()).length;
  await registry.startServer();
  await expect.poll(async () => (await events()).length, { timeout: 60_000 }).toBe(before + 1);
  await registry.stopServer();
  writeFileSync(config, JSON.stringify({}));
  await registry.startServer();
  await expect.poll(async () => (await events()).length, { timeout: 60_000 }).toBe(before + 2);
  expect((await events()).filter((event) => JSON.stringify(event).includes('removed'))).toHaveLength(2);
  await registry.stopServer();
  writeFileSync(config, JSON.stringify({ policy: 'policy.json' }));
  await registry.startServer();
  await expect.poll(async () => (await events()).length, { timeout: 60_000 }).toBe(before + 3);
});

itInSeries(
  'a file that equals the policy of the state is no event at the first start, and each later change is one',
  async () => {
    const config = registry.folder.at('libretto.json');
    await registry.stopServer();
    writeFileSync(config, JSON.stringify({}));
    expect((await registry.cli('policy', 'set', registry.folder.at('policy.json'))).exitCode).toBe(0);
    await registry.startServer();
    await registry.stopServer();
    const before = (await events()).length;
    writeFileSync(config, JSON.stringify({ policy: 'policy.json' }));
    await registry.startServer();
    expect((await request()).status).toBe(200);
    await registry.stopServer();
    write({ rules: [{ ...rule, action: 'warn' }] });
    await registry.startServer();
    await expect.poll(async () => (await events()).length, { timeout: 60_000 }).toBeGreaterThan(before);
    expect([(await events()).length, (await events())[0]]).toEqual([before + 1, change('changed', 'abandoned')]);
  },
);

itInSeries('a vanished file is told once, and the last good policy stays', async () => {
  rmSync(registry.folder.at('policy.json'));
  const faults = (): readonly unknown[] => registry.log().filter(({ msg }) => String(msg).includes('last good policy'));
  const told = async (): Promise<number> => {
    expect((await request()).status).toBe(200);
    return faults().length;
  };
  await expect.poll(told, { timeout: 60_000 }).toBe(1);
  expect(JSON.stringify(faults())).toContain('it cannot be read');
  const later = Date.now() + 4500;
  await expect.poll(async () => (await told()) > 1 || Date.now() > later, { timeout: 60_000 }).toBe(true);
  expect(faults()).toHaveLength(1);
});

it.each([
  [undefined, 'cannot be used: it cannot be read ('],
  [{ rules: [{ ...rule, action: 'blok' }] }, 'rules[0].action must be "block"'],
])('a server does not start with %j, and names the setting and the repair', async (policy, fault) => {
  await registry.stopServer();
  if (policy === undefined) rmSync(registry.folder.at('policy.json'), { force: true });
  else write(policy);
  const { exitCode, stderr } = await registry.cli('serve', '--listen', '127.0.0.1:0');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(fault)]);
  expect(stderr).toMatch(/The policy file .*policy\.json cannot be used: .* It is set by policy in .*libretto\.json\./);
  for (const name of ['`policy` in libretto.json', '--policy', 'LIBRETTO_POLICY', 'libretto policy check'])
    expect(stderr).toContain(name);
});
