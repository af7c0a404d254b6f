// Tests `libretto repository hook`: the secret that is printed once, rotation, removal, and the key rotation that seals
// secrets again.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { describeInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

const secretForm = /^whsec_[0-9A-Za-z+/]{43}=$/;

let folder: TemporaryFolder;
let id = '';
beforeAll(async () => {
  folder = temporaryFolder('cli-hook');
  mkdirSync(folder.at('packages', 'hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  const settings = { data: 'data', sourceRoots: [folder.at('packages')], publicUrl: 'https://packages.example.org' };
  writeFileSync(folder.at('libretto.json'), JSON.stringify(settings));
  const added = await run('repository', 'add', 'packages', '--type', 'directory', '--json');
  id = String((JSON.parse(added.stdout) as Json)['id']);
});
afterAll(() => folder.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const hook = (...args: readonly string[]): Promise<CliOutcome> => run('repository', 'hook', ...args);
const document = async (...args: readonly string[]): Promise<Json> =>
  JSON.parse((await hook(...args, '--json')).stdout) as Json;

describe('libretto repository hook', () => {
  it('makes the webhook at the first call and prints its secret alone, and later shows it without the secret', async () => {
    const made = await hook(id);
    expect(made.stdout).toMatch(secretForm);
    expect(made.stderr).toContain(`https://packages.example.org/hooks/${id}`);
    const shown = await hook(id);
    expect(shown.stdout).toContain(`https://packages.example.org/hooks/${id}`);
    expect(shown.stdout).toContain('No delivery has arrived yet.');
    expect(shown.stdout + shown.stderr).not.toContain('whsec_');
    expect(await document(id)).toMatchObject({ path: `/hooks/${id}`, secret: null, deliveries: [] });
  });

  it('rotates: two secrets are valid, or the new one alone', async () => {
    const rotated = await document(id, '--rotate');
    expect(rotated['secret']).toMatch(/^whsec_/);
    expect(rotated['secrets']).toMatchObject([{ ends_at: null }, { ends_at: expect.any(String) as string }]);
    const [, { id: dropped } = { id: '' }] = rotated['secrets'] as readonly { readonly id: string }[];
    const again = await hook(id, '--rotate');
    expect(again.stderr).toContain(`The secret ${dropped} ended`);
    expect(again.stderr).toContain('secret id');
    expect((await hook(id, '--rotate', '--drop-old')).stderr).not.toContain(' ended');
    expect((await document(id))['secrets']).toHaveLength(1);
  });

  it('seals the secrets again when the key is rotated', async () => {
    await hook('--all');
    const rotated = JSON.parse((await run('keys', 'rotate', 'sealing', '--json')).stdout) as Json;
    expect(rotated['resealed']).toBe(2);
  });

  it('has a webhook for all repositories, and removes one', async () => {
    expect((await document('--all'))['url']).toBe('https://packages.example.org/hooks');
    expect((await hook('--all', '--remove')).stdout).toContain(
      'There is no webhook. The same command without --remove',
    );
    expect((await document(id, '--remove'))['secrets']).toEqual([]);
  });

  it.each([
    [[], 'Name a repository by its id'],
    [['repo_0000000000000000', '--all'], 'not both'],
    [['repo_0000000000000000'], 'There is no repository with the id'],
    [['--all', '--drop-old'], '--drop-old belongs to --rotate'],
    [['--all', '--rotate', '--remove'], 'not both'],
    [['--all', '--replay', 'dlv_0000000000000000'], '`libretto repository hook --all` lists them'],
  ] as const)('%j is refused: %s', async (args, words) => {
    const refused = await hook(...args);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describeInSeries('a configuration without the feature hooks', () => {
  it('is named by the command and by doctor, because webhooks get 404', async () => {
    await hook(id);
    const environment = { LIBRETTO_FEATURES: 'api,console' };
    const options = { cwd: folder.path, environment };
    expect((await runCli(['repository', 'hook', id], options)).stderr).toContain('leaves out the feature hooks');
    expect((await hook(id)).stderr).not.toContain('feature hooks');
    const { checks } = JSON.parse((await runCli(['doctor', '--json'], options)).stdout) as { checks: Json[] };
    expect(checks.filter(({ check, verdict }) => check === 'hook' && verdict === 'warning')).toMatchObject([
      { message: expect.stringContaining('they get 404') as string },
    ]);
  });
});

describeInSeries('libretto doctor', () => {
  it('names the webhooks whose secrets cannot be opened', async () => {
    await hook(id);
    await hook('--all');
    renameSync(folder.at('data/keys'), folder.at('data/keys-elsewhere'));
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { checks: Json[] };
    rmSync(folder.at('data/keys'), { recursive: true, force: true });
    renameSync(folder.at('data/keys-elsewhere'), folder.at('data/keys'));
    const lost = checks.filter(({ check, verdict }) => check === 'hook' && verdict === 'warning');
    expect(lost).toMatchObject([
      {
        message: expect.stringMatching(
          /^the webhook of all repositories accepts nothing: .*sealing key that is missing/,
        ) as string,
        advice: expect.stringContaining('libretto repository hook --all --rotate --drop-old') as string,
      },
      {
        message: expect.stringContaining(`the webhook of ${id} accepts nothing`) as string,
        advice: expect.stringContaining(`libretto repository hook ${id} --rotate`) as string,
      },
    ]);
    const after = JSON.parse((await run('doctor', '--json')).stdout) as { checks: Json[] };
    expect(JSON.stringify(after.checks)).not.toContain('accepts nothing');
    await hook('--all', '--remove');
  });

  it('names the repositories without a hook for longer than their interval', async () => {
    await run('repository', 'update', id, '--interval', '15m');
    await hook(id);
    const { stdout } = await run('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: Json[] };
    expect(checks.filter(({ check }) => check === 'hook')).toEqual([
      {
        check: 'hook',
        verdict: 'ok',
        message: '1 repository has a webhook; no hook has come yet from any of them',
        advice: null,
      },
    ]);
  });
});
