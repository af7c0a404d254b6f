// Tests `libretto doctor` on a data folder whose public/ is full and whose index/ is lost. It fails, and its advice,
// followed word for word, brings every version back.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runDoctor } from '../util/doctor-report.ts';
import { below } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { runCli } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';

const all = ['acme/lib@1.0.0', 'acme/other@1.0.0', 'acme/up@1.0.0'];

/** acme/up is an upload. */
const { at, data, libretto, succeeds, lose, versions } = registryCopy(
  {
    ...below('r/lib', whoLibrary('acme/lib', '1.0.0')),
    ...below('r/other', whoLibrary('acme/other', '1.0.0')),
    ...below('up', whoLibrary('acme/up', '1.0.0')),
  },
  async () => {
    await succeeds('build', './r');
    await succeeds('publish', 'up');
  },
);

const doctor = async (...flags: readonly string[]) => {
  const report = await runDoctor(at(), flags);
  const { verdict, message, advice } = report.of('tree') ?? {};
  return { exitCode: report.exitCode, verdict, message, advice: advice ?? '' };
};

/** Runs each command of the advice as it is printed; `SOURCE…` becomes the source. */
async function follow(advice: string): Promise<readonly string[]> {
  const commands = [...advice.matchAll(/`libretto ([^`]+)`/g)].map(([, command = '']) => command);
  for (const command of commands) {
    const { exitCode, stderr } = await runCli(command.replace('SOURCE…', './r').split(' '), { cwd: at() });
    expect([command, exitCode, stderr]).toEqual([command, 0, expect.any(String)]);
  }
  expect(await libretto('verify')).toMatchObject({ exitCode: 0 });
  return commands.map((command) => command.replaceAll(at(), ''));
}

it.each([
  ['index/', ['index'], ['build --data /data']],
  [
    'index/ and build/',
    ['index', 'build'],
    ['package recover-purged --data /data', 'build SOURCE… artifact:/data/artifacts --data /data'],
  ],
])('%s lost: doctor fails and names the commands that write the index again', async (_, lost, commands) => {
  lose(...lost);
  const found = await doctor('--data', 'data');
  expect(found).toMatchObject({ exitCode: 1, verdict: 'failed' });
  expect(found.message).toContain(`${data('index')} is lost: ${data('public')} has 3 packages`);
  expect(await follow(found.advice)).toEqual(commands);
  expect(versions()).toEqual(all);
});

it('a purge and a withdrawal are recovered before the build', async () => {
  await succeeds('package', 'purge', 'acme/other', '1.0.0', '--reason', 'legal', '--yes');
  await succeeds('package', 'withdraw', 'acme/up', '1.0.0');
  lose('index');
  const { advice } = await doctor('--data', 'data');
  expect(await follow(advice)).toEqual([
    'package recover-purged --data /data',
    'package withdraw acme/up 1.0.0 --data /data',
    'build --data /data',
  ]);
  expect(versions()).toEqual(['acme/lib@1.0.0']);
});

it('a withdrawal that only the history knows is recovered before the build', async () => {
  await succeeds('package', 'withdraw', 'acme/other', '1.0.0');
  lose('index', 'build/manifest.json');
  const { advice } = await doctor('--data', 'data');
  expect(await follow(advice)).toEqual([
    'package withdraw acme/other 1.0.0 --data /data',
    'build SOURCE… artifact:/data/artifacts --data /data',
  ]);
  expect(versions()).toEqual(['acme/lib@1.0.0', 'acme/up@1.0.0']);
});

it('with sources in libretto.json, the advice names no source and no flag', async () => {
  writeFileSync(at('libretto.json'), JSON.stringify({ data: './data', sources: ['./r'] }));
  lose('index', 'build', 'artifacts');
  const { advice } = await doctor();
  expect(await follow(advice)).toEqual(['package recover-purged', 'build']);
  expect(versions()).toEqual(all);
});

it('with uploads and sources in libretto.json, the build takes both', async () => {
  writeFileSync(at('libretto.json'), JSON.stringify({ data: './data', sources: ['./r'] }));
  lose('index', 'build');
  const { advice } = await doctor();
  expect(await follow(advice)).toEqual(['package recover-purged', 'build artifact:/data/artifacts']);
  await succeeds('build');
  expect(versions()).toEqual(all);
});

it('without packages.json, doctor fails too: it names the backup, and the way without one', async () => {
  lose('index', 'build', 'artifacts', 'public/packages.json');
  const found = await doctor('--data', 'data');
  expect(found).toMatchObject({ exitCode: 1, verdict: 'failed' });
  expect(found.advice).toMatch(/^packages\.json is lost too, so only a backup has the index: `libretto restore BACKUP/);
  expect((await libretto('verify')).stderr).toMatch(/_publication\.json: .* is missing\. .* or move public\/ away/);
  const [, away = '', command = ''] = /move (\S+) away and run `libretto ([^`]+)`/.exec(found.advice) ?? [];
  renameSync(away, at('away'));
  expect(await runCli(command.replace('SOURCE…', './r').split(' '), { cwd: at() })).toMatchObject({ exitCode: 0 });
  expect(versions()).toEqual(['acme/lib@1.0.0', 'acme/other@1.0.0']);
});

it('a folder without a document is no lost index', async () => {
  lose('.');
  mkdirSync(data('public'), { recursive: true });
  expect(await doctor('--data', 'data')).toMatchObject({ verdict: 'warning', message: 'Nothing is published.' });
});
