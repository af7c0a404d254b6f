// Tests a registry that lost its folder of uploads, whose working directory has an own source artifact:./artifacts. The
// message of each command leads to the folder of uploads, and never to the other source.

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runDoctor, type DoctorCheck } from '../util/doctor-report.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { registryCopy } from '../util/registry-copy.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

const {
  at,
  data,
  libretto,
  succeeds,
  lose,
  versions,
  token: createToken,
  serve,
} = registryCopy({}, async () => {
  put('own', 'own', '1.0.0');
  await runCli(['publish', 'own', '--data', 'other'], { cwd: at() });
  renameSync(at('other/artifacts'), at('artifacts'));
  put('up', 'up', '1.0.0');
  put('more', 'up', '2.0.0');
  await succeeds('build', 'artifact:./artifacts');
  await succeeds('publish', 'up');
});
const put = (place: string, name: string, version: string): void =>
  writeTree(at(place), libraryTree(`acme/${name}`, { version }));
const own = 'acme/own@1.0.0';

const forgetting = ({ stderr }: CliOutcome): readonly string[] =>
  /`libretto (build --forget [^`]+)`/.exec(stderr)?.[1]?.split(' ') ?? [];

describe('an upload without the ZIPs of earlier uploads', () => {
  it('is refused, and the advice withdraws the uploads and no other source', async () => {
    lose('artifacts');
    const refused = await libretto('publish', 'more');
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('artifacts has no ZIP, but acme/up'),
    ]);
    await succeeds(...forgetting(refused));
    expect(versions()).toEqual([own]);
    await succeeds('publish', 'more');
    expect(versions()).toEqual([own, 'acme/up@2.0.0']);
    expect((await succeeds('build')).stdout).toContain('Nothing has changed');
  });

  it('is refused with the line of libretto.json first, where the file lists the folder of uploads', async () => {
    const list = (...sources: readonly string[]): void =>
      writeFileSync(at('libretto.json'), JSON.stringify({ sources }));
    list('artifact:./artifacts', 'artifact:data/artifacts');
    await succeeds('build');
    lose('artifacts');
    const refused = await libretto('publish', 'more');
    expect(refused.stderr).toContain('first remove the folder from the sources in libretto.json');
    expect(await libretto(...forgetting(refused))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('data/artifacts is still listed in libretto.json') as string,
    });
    list('artifact:./artifacts');
    await succeeds(...forgetting(refused));
    expect(versions()).toEqual([own]);
  });

  itInSeries('is refused by the service with the way to doctor, and leaves no folder behind', async () => {
    const token = await createToken('--kind', 'write');
    renameSync(data('artifacts'), at('away'));
    const { url } = await serve();
    const upload = (): Promise<CliOutcome> =>
      runCli(['publish', 'more', '--url', url, '--token', token], { cwd: at() });
    const { exitCode, stderr } = await upload();
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/folder of uploads has lost its ZIPs.*`libretto doctor`/),
    ]);
    expect((await upload()).exitCode).toBe(1);
    rmSync(data('artifacts'), { recursive: true });
    renameSync(at('away'), data('artifacts'));
    expect(await upload()).toMatchObject({ exitCode: 0 });
    expect(versions()).toEqual([own, 'acme/up@1.0.0', 'acme/up@2.0.0']);
  });
});

it('--forget of a text that means two sources is refused with both ids, and each id means one source', async () => {
  const { exitCode, stderr } = await libretto('build', '--forget', 'artifact:./artifacts');
  const ids = [...stderr.matchAll(/(artifact-[0-9a-f]+) \(artifact:(\S+?)\)/g)].map(([, id, place]) => [place, id]);
  expect([exitCode, ids.map(([place]) => place).toSorted()]).toEqual([2, ['../artifacts', './artifacts']]);
  expect(versions()).toEqual([own, 'acme/up@1.0.0']);
  await succeeds('build', '--forget', String(new Map(ids as [string, string][]).get('../artifacts')));
  expect(versions()).toEqual(['acme/up@1.0.0']);
});

describeInSeries('doctor', () => {
  const uploads = async (): Promise<DoctorCheck | undefined> =>
    (await runDoctor(at(), ['--data', 'data'])).of('uploads');

  it('names uploads whose ZIP is gone, with the way back', async () => {
    await succeeds('publish', 'more');
    expect(await uploads()).toMatchObject({ verdict: 'ok' });
    lose('artifacts/acme/up/acme-up-1.0.0.zip');
    const lost = (named: string): unknown => expect.stringMatching(new RegExp(`${named}\\. Clients install them`));
    expect(await uploads()).toMatchObject({ verdict: 'failed', message: lost('1 published upload: acme/up 1.0.0') });
    lose('artifacts');
    const found = await uploads();
    expect(found).toMatchObject({ message: lost('2 published uploads: acme/up 2.0.0, acme/up 1.0.0') });
    await succeeds(...(/`libretto (.*)`/.exec(found?.advice ?? '')?.[1] ?? '').split(' '));
    expect([await uploads(), versions()]).toEqual([undefined, [own]]);
  });

  it('accepts a ZIP that a person put into the folder under another name, and withdrawn uploads', async () => {
    renameSync(data('artifacts/acme/up/acme-up-1.0.0.zip'), data('artifacts/by-hand.zip'));
    await succeeds('build');
    expect(await uploads()).toMatchObject({ verdict: 'ok' });
    await succeeds('package', 'withdraw', 'acme/up', '1.0.0');
    lose('artifacts');
    expect(await uploads()).toBeUndefined();
  });
});
