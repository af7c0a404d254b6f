// Tests trees that lost the announcement, which names the sources of a tree to its readers. Where only the announcement
// is lost, the manifest names the sources, and every command continues with all of them. Where both are lost, no
// command forgets a source silently.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { runCli } from '../util/run-cli.ts';

const [announcement, manifest] = ['index/_publication.json', 'build/manifest.json'] as const;
const artifacts = 'artifact:data/artifacts';

const { at, data, prepared, libretto, succeeds, lose, versions } = registryCopy({}, async () => {
  put('one/a', 'one', '1.0.0');
  put('one/b', 'one', '1.1.0');
  put('two', 'two', '1.0.0');
  put('up', 'up', '1.0.0');
  put('up2', 'up', '2.0.0');
  put('elsewhere', 'else', '1.0.0');
  await succeeds('build', 'one', 'two');
  await succeeds('publish', 'up');
  await runCli(['build', 'elsewhere', '--data', 'built'], { cwd: at() });
});
const put = (place: string, name: string, version: string): void =>
  writeTree(at(place), libraryTree(`acme/${name}`, { version }));
const sources = (): readonly string[] =>
  (JSON.parse(readFileSync(data(announcement), 'utf8')) as { sources: { location: string }[] }).sources
    .map(({ location }) => location)
    .toSorted();

const all = ['artifact:./artifacts', 'dir:../one', 'dir:../two'];
const published = ['acme/one@1.0.0', 'acme/one@1.1.0', 'acme/two@1.0.0', 'acme/up@1.0.0'];

describe('while the announcement alone is lost', () => {
  beforeEach(() => lose(announcement));

  it('an upload names the file, and later builds read every source', async () => {
    const { stderr } = await succeeds('publish', 'up2');
    expect(stderr).toContain('index/_publication.json was missing or damaged');
    expect(sources()).toEqual(all);
    put('two', 'two', '1.1.0');
    await succeeds('build');
    expect(versions()).toEqual(expect.arrayContaining(['acme/two@1.1.0', 'acme/one@1.0.0', 'acme/up@2.0.0']));
  });

  it.each([
    [['build']],
    [['build', 'one']],
    [['receive', 'built', '--as', 'job']],
    [['package', 'withdraw', 'acme/one', '1.1.0']],
    [['package', 'purge', 'acme/one', '1.1.0', '--reason', 'secret', '--yes']],
    [['package', 'recover-purged']],
  ])('the command %j keeps every source', async (command) => {
    await succeeds(...command);
    expect(sources()).toEqual(expect.arrayContaining(all));
    await succeeds('verify');
    put('two', 'two', '1.1.0');
    await succeeds('build');
    expect(versions()).toEqual(expect.arrayContaining(['acme/one@1.0.0', 'acme/two@1.1.0', 'acme/up@1.0.0']));
  });

  it.each([
    [['package', 'withdraw', 'acme/one', '1.1.0']],
    [['package', 'purge', 'acme/one', '1.1.0', '--reason', 'secret', '--yes']],
  ])('%j names the file', async (command) => {
    const { stderr } = await succeeds(...command);
    expect(stderr).toContain(`note: ${announcement} was missing or damaged`);
  });

  it.each([[['rollback', '1']], [['build', '--only', 'acme/one']]])(
    '%j is refused, and names the file and the way back',
    async (command) => {
      const { exitCode, stderr } = await libretto(...command);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${announcement} is missing or damaged`)]);
      expect(stderr).not.toContain('was interrupted');
      await succeeds('build');
      await succeeds(...command);
    },
  );

  it('verify reports the lost file, and no publication that was cut off', async () => {
    const { exitCode, stderr } = await libretto('verify');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${announcement}: The announcement of the last`)]);
    expect(stderr).not.toContain('was interrupted');
  });

  it('a version that a rollback removed stays unpublished', async () => {
    cpSync(prepared('data'), data(), { recursive: true, preserveTimestamps: true });
    put('one/c', 'one', '1.2.0');
    await succeeds('build');
    await succeeds('rollback', '2');
    lose(announcement);
    await succeeds('publish', 'up2');
    await succeeds('build');
    expect(versions()).toEqual([...published, 'acme/up@2.0.0']);
  });
});

it('an upload names an upload that it withdraws, since the ZIP is gone, and the advice brings the version back', async () => {
  await succeeds('publish', 'elsewhere');
  cpSync(data('artifacts/acme/up'), at('aside'), { recursive: true });
  lose('artifacts/acme/up');
  expect((await succeeds('publish', 'up2')).stderr).toContain('acme/up 1.0.0 is withdrawn: its ZIP is no longer');
  cpSync(at('aside'), data('artifacts/acme/up'), { recursive: true });
  await succeeds('build');
  expect(versions()).toEqual(expect.arrayContaining(['acme/else@1.0.0', 'acme/up@1.0.0', 'acme/up@2.0.0']));
});

describe('while announcement and manifest are lost', () => {
  beforeEach(async () => {
    // both lists are there, so that nothing else is in doubt
    await succeeds('package', 'purge', 'acme/one', '1.1.0', '--reason', 'secret', '--yes');
    await succeeds('package', 'withdraw', 'acme/up', '1.0.0');
    lose(announcement, manifest);
  });
  const whole = ['acme/one@1.0.0', 'acme/two@1.0.0'];

  it.each([
    [['publish', 'up2']],
    [['build', 'one', artifacts]],
    [['receive', 'built', '--as', 'job']],
    [['build', '--config', 'partial.json']],
  ])('%j is refused, and the advice brings everything back', async (command) => {
    writeFileSync(at('partial.json'), JSON.stringify({ sources: ['one', artifacts] }));
    const { exitCode, stderr } = await libretto(...command);
    expect([exitCode, stderr]).not.toEqual([0, expect.anything()]);
    expect(stderr).toMatch(/published acme\/(one, acme\/)?two/);
    expect(stderr).toContain('index/_publication.json is lost');
    await succeeds('build', 'one', 'two', artifacts);
    expect([sources(), versions()]).toEqual([all, whole]);
    await succeeds('verify');
  });

  it('a command that reads no source leaves the sources unknown, and an upload is still refused', async () => {
    await succeeds('package', 'withdraw', 'acme/one', '1.0.0');
    expect(await libretto('publish', 'up2')).toMatchObject({
      stderr: expect.stringContaining('index/_publication.json was lost') as string,
    });
    expect(await libretto('build')).toMatchObject({ exitCode: 2 });
    await succeeds('build', 'one', 'two', artifacts);
    expect([sources(), versions()]).toEqual([all, ['acme/two@1.0.0']]);
  });

  it('a source that is gone loses its versions where the operator confirms that', async () => {
    const refused = await libretto('build', 'one', artifacts);
    expect(refused.stderr).toContain('Add `--allow-withdraw` too where a package loses its last version.');
    await succeeds('build', 'one', artifacts, '--forget', 'unknown', '--allow-withdraw');
    expect(versions()).not.toContain('acme/two@1.0.0');
    await succeeds('verify');
  });

  it('a moved source keeps its versions where the operator forgets its former location', async () => {
    cpSync(at('two'), at('moved'), { recursive: true });
    const { stderr } = await libretto('build', 'one', 'moved', artifacts);
    expect(stderr).toContain('add `--forget unknown`');
    await succeeds('build', 'one', 'moved', artifacts, '--forget', 'unknown');
    expect([sources(), versions()]).toEqual([['artifact:./artifacts', 'dir:../moved', 'dir:../one'], whole]);
    await succeeds('verify');
  });
});
