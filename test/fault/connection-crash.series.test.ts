// Tests the connection of a large organisation while its process is killed again and again: every repository is
// registered once, nothing that is durable is asked for again, and the memory does not grow with the organisation.
// CONNECTED is the number of repositories: 3000 in `npm run fault`.

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { addTools } from '../util/forges/all-forges.ts';
import { startGitHub } from '../util/forges/fake-github.ts';
import { runCli, startCli } from '../util/run-cli.ts';
import { seededRandom } from '../util/seeded-random.ts';
import { seedOf } from '../util/seeds.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const count = Number(process.env['CONNECTED'] ?? 300);
const kills = Math.ceil(count / 150);
/** enough for the program, and not for the whole list of 3000 repositories, which has 60 MB */
const environment = { NODE_OPTIONS: '--max-old-space-size=48' };

it(`connects ${count} repositories over ${kills} kills, in a small memory`, { timeout: 600_000 }, async () => {
  await using forge = await startGitHub();
  await using folder = temporaryFolder('connection-crash');
  addTools(forge, count);
  for (const repository of forge.repositories) repository.description = 'x'.repeat(20_000);
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', egress: { allow: ['127.0.0.0/8'] } }));
  writeFileSync(folder.at('token'), `${forge.token}\n`);
  const random = seededRandom(seedOf('CRASH_SEED'));
  const begin = (...args: readonly string[]) => startCli([...args, '--json'], { cwd: folder.path, environment });
  let running = begin(
    'connection',
    'add',
    'github',
    '--forge-url',
    forge.url,
    '--owner',
    'acme',
    '--token-file',
    'token',
  );
  let id = '';
  for (let kill = 0; kill < kills; kill += 1) {
    const until = forge.requests.length + 20 + Math.floor(random() * (count / kills - 30));
    await new Promise<void>((resolve) => {
      forge.onRequest = () => {
        if (forge.requests.length < until) return;
        forge.onRequest = () => undefined;
        running.signal('SIGKILL');
        resolve();
      };
    });
    await running.ended;
    const { stdout } = await runCli(['connection', 'list', '--json'], { cwd: folder.path });
    [{ id } = { id: '' }] = (
      JSON.parse(stdout) as { readonly connections: readonly [{ readonly id: string }] }
    ).connections;
    running = begin('connection', 'refresh', id);
  }
  const { exitCode, stdout, stderr } = await running.ended;
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    finished: true,
    connection: { counts: { registered: count, skipped: 0 } },
  });
  const listed = await runCli(['repository', 'list', '--json'], { cwd: folder.path });
  const { repositories } = JSON.parse(listed.stdout) as { readonly repositories: readonly { readonly url: string }[] };
  expect(new Set(repositories.map(({ url }) => url)).size).toBe(count);
  expect(repositories).toHaveLength(count);
  // a kill repeats one file and one page at most
  const files = forge.requests.filter((line) => line.includes('composer.json'));
  const pages = forge.requests.filter((line) => line.includes('/repos?'));
  expect(files.length).toBeLessThanOrEqual(count + kills);
  expect(pages.length).toBeLessThanOrEqual(Math.ceil(count / 100) + kills);
});
