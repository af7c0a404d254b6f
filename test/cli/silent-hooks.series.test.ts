// Tests that `libretto doctor` names a repository whose webhook did not announce a change. The rows of the past are
// written into the state of a real data folder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isJsonObject } from '../../build/contract/json.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

type Json = Record<string, unknown>;

it('doctor warns of a change that an automatic sync found and no webhook announced, for longer than the interval', async () => {
  await using folder = temporaryFolder('silent-hooks');
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', sourceRoots: [folder.at('packages')] }));
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  const hookFindings = async (): Promise<readonly Json[]> => {
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { readonly checks: readonly Json[] };
    return checks.filter(({ check }) => check === 'hook');
  };
  const added = await run('repository', 'add', 'packages', '--type', 'directory', '--interval', '15m', '--json');
  const id = String((JSON.parse(added.stdout) as Json)['id']);
  await run('repository', 'hook', id);
  expect((await run('repository', 'sync', id)).exitCode).toBe(0);

  // the webhook is two hours old
  const rewrite = async (prefix: string, change: Readonly<Record<string, string>>): Promise<void> => {
    const state = await openLmdbStore(folder.at('data/state'));
    const puts = (await state.range(prefix)).map(({ key, value }) => ({
      key,
      value: isJsonObject(value) ? { ...value, ...change } : value,
    }));
    expect(puts).toHaveLength(1);
    await state.commit({ conditions: [], puts, deletes: [] });
    await state.close();
  };
  await rewrite('hook/repository/', { created_at: new Date(Date.now() - 7_200_000).toISOString() });
  // a sync that a person asked for is no sign of a broken webhook
  expect(await hookFindings()).toMatchObject([
    { verdict: 'ok', message: expect.stringContaining('no hook has come yet from any of them') as string },
  ]);
  await rewrite(`job/${id}/`, { trigger: 'interval' });
  expect(await hookFindings()).toMatchObject([
    { verdict: 'ok' },
    {
      verdict: 'warning',
      message: expect.stringMatching(
        /^no hook announced the change of .*packages that an automatic sync found at /,
      ) as string,
      advice: expect.stringContaining(`libretto repository hook ${id}`) as string,
    },
  ]);
});
