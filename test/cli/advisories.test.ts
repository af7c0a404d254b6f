// Tests security advisories and filter lists of libretto.json, as the compiled program publishes them.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { below, writeTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

const advisory = {
  advisoryId: 'ACME-2026-1',
  packageName: 'Acme/Hello',
  affectedVersions: '<1.1.0',
  title: 'Greets everybody',
  cve: 'CVE-2026-0001',
  link: 'https://acme.example/1',
  severity: 'high',
  reportedAt: '2026-03-01T12:00:00+00:00',
};
const malware = { package: 'acme/other', constraint: '1.0.0', reason: 'It phones home', id: 'MAL-1' };

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder('advisories');
  writeTree(folder.path, {
    ...below('src/hello-1', whoLibrary('acme/hello', '1.0.0')),
    ...below('src/hello-2', whoLibrary('acme/hello', '1.1.0')),
    ...below('src/other', whoLibrary('acme/other', '1.0.0')),
    ...below('src/third', whoLibrary('acme/third', '1.0.0')),
  });
  configure({ advisories: 'advisories.json', filters: { malware: 'malware.json' } });
  writeJson('advisories.json', [advisory]);
  writeJson('malware.json', [malware]);
});
afterEach(() => folder.remove());

const writeJson = (path: string, json: unknown): void => writeFileSync(folder.at(path), JSON.stringify(json));
const configure = (more: object): void =>
  writeJson('libretto.json', { sources: ['src/hello-1', 'src/hello-2', 'src/other', 'src/third'], ...more });
const build = (...args: readonly string[]) => runCli(['build', '--json', ...args], { cwd: folder.path });
const published = async (
  ...args: readonly string[]
): Promise<{ serial: number; notices: readonly { message: string }[] }> => {
  const { exitCode, stdout, stderr } = await build(...args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as never;
};
const json = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(folder.at(`var/public/${path}`), 'utf8')) as Record<string, unknown>;
const modified = (path: string): number => statSync(folder.at(`var/public/${path}`)).mtimeMs;

describe('advisories and filter lists', () => {
  it('are at the top of the documents of the named packages, and packages.json refers to them', async () => {
    const { notices } = await published();
    expect(json('p2/acme/hello.json')).toMatchObject({
      packages: { 'acme/hello': { '1.0.0': {} } },
      'security-advisories': [
        { ...advisory, packageName: 'acme/hello', sources: [{ name: 'libretto', remoteId: 'ACME-2026-1' }] },
      ],
    });
    expect(json('p2/acme/other.json')).toMatchObject({
      filter: { malware: [{ constraint: '1.0.0', reason: 'It phones home', id: 'MAL-1' }] },
    });
    expect(Object.keys(json('p2/acme/third.json'))).toEqual(['packages']);
    expect(json('packages.json')).toMatchObject({
      'security-advisories': { metadata: true },
      filter: { metadata: true, lists: { malware: { enabled: true } } },
    });
    expect(notices.map(({ message }) => message)).toEqual([
      'acme/hello: 1.0.0 is affected by ACME-2026-1: Greets everybody',
    ]);
    expect((await runCli(['verify'], { cwd: folder.path })).exitCode).toBe(0);
  });

  itInSeries(
    'change only the documents of their packages when the file changes, and nothing when it does not',
    async () => {
      const { serial } = await published();
      const [hello, other, third] = ['hello', 'other', 'third'].map((name) => modified(`p2/acme/${name}.json`));
      expect((await published()).serial).toBe(serial);
      writeJson('advisories.json', {
        advisories: { 'acme/hello': [advisory, { ...advisory, advisoryId: 'ACME-2026-2', affectedVersions: '*' }] },
      });
      expect((await published()).serial).toBe(serial + 1);
      expect(json('p2/acme/hello.json')['security-advisories']).toHaveLength(2);
      expect(modified('p2/acme/hello.json')).toBeGreaterThan(hello ?? 0);
      expect([modified('p2/acme/other.json'), modified('p2/acme/third.json')]).toEqual([other, third]);
      expect((await runCli(['verify'], { cwd: folder.path })).exitCode).toBe(0);
    },
  );

  itInSeries(
    'are removed when libretto.json no longer names them, and stay in a build without libretto.json',
    async () => {
      await published();
      const elsewhere = await runCli(['build', folder.at('src/third'), '--data', folder.at('var')], {
        cwd: folder.at('src'),
      });
      expect(elsewhere.exitCode).toBe(0);
      expect(json('p2/acme/hello.json')['security-advisories']).toHaveLength(1);
      configure({});
      await published();
      expect(Object.keys(json('p2/acme/hello.json'))).toEqual(['packages']);
      expect(json('packages.json')).not.toHaveProperty('security-advisories');
      expect(json('packages.json')).not.toHaveProperty('filter');
    },
  );

  itInSeries('apply to a package that is published later, also by a build of that package alone', async () => {
    writeJson('advisories.json', [{ ...advisory, packageName: 'acme/late', affectedVersions: '*' }]);
    await published();
    writeTree(folder.at('src/late'), whoLibrary('acme/late', '1.0.0'));
    configure({ sources: ['src/hello-1', 'src/hello-2', 'src/other', 'src/late'], advisories: 'advisories.json' });
    await published('--allow-withdraw');
    expect(json('p2/acme/late.json')['security-advisories']).toHaveLength(1);
    writeJson('advisories.json', [advisory]);
    await published('--only', 'acme/late');
    expect(Object.keys(json('p2/acme/late.json'))).toEqual(['packages']);
    expect(Object.keys(json('p2/acme/hello.json'))).toEqual(['packages']);
    await published();
    expect(json('p2/acme/hello.json')['security-advisories']).toHaveLength(1);
  });

  it('are neither restored nor removed by a rollback', async () => {
    await published();
    writeTree(folder.at('src/third'), whoLibrary('acme/third', '1.2.0'));
    writeJson('advisories.json', []);
    const { serial } = await published();
    expect((await runCli(['rollback', String(serial - 1)], { cwd: folder.path })).exitCode).toBe(0);
    expect(Object.keys(json('p2/acme/hello.json'))).toEqual(['packages']);
    expect(Object.keys((json('p2/acme/third.json')['packages'] as Record<string, object>)['acme/third'] ?? {})).toEqual(
      ['1.0.0'],
    );
    expect((await runCli(['verify'], { cwd: folder.path })).exitCode).toBe(0);
  });
});

describe('unusable files of advisories', () => {
  it('stop the build with every faulty entry named, and the published lists stay', async () => {
    const { serial } = await published();
    writeJson('advisories.json', [
      { ...advisory, affectedVersions: '>>1' },
      { packageName: 'acme', title: 'x' },
      advisory,
      advisory,
    ]);
    writeJson('malware.json', [{ package: 'acme/other', constraint: '1.0.0', because: 'x' }]);
    const { exitCode, stderr } = await build();
    expect(exitCode).toBe(2);
    for (const part of [
      'advisories.json[0].affectedVersions must be a version constraint',
      'advisories.json[1].packageName must be a package name',
      'advisories.json[1].advisoryId must be text',
      'advisories.json[1].reportedAt must be a time',
      'ACME-2026-1 of acme/hello occurs twice',
      'malware.json[0].because is not known',
    ])
      expect(stderr).toContain(part);
    writeJson('advisories.json', [{ ...advisory, title: 'x\ud800' }]);
    const undecodable = await build();
    expect([undecodable.exitCode, undecodable.stderr]).toEqual([
      2,
      expect.stringContaining('at 0.title it contains half of a surrogate pair'),
    ]);
    writeJson('advisories.json', [advisory]);
    writeJson('malware.json', [malware]);
    expect((await published()).serial).toBe(serial);
  });

  it.each([
    ['a file that is not there', { advisories: 'nowhere.json' }, 'nowhere.json cannot be used as a list of advisories'],
    [
      "a list with one of Composer's words as its name",
      { filters: { advisories: [] } },
      '/libretto.json is not allowed here; allowed: an object such as {"malware": "malware.json"}, without names that Composer reserves',
    ],
    [
      'something else than a path or a list',
      { filters: { malware: 5 } },
      '/libretto.json is 5; allowed: the path of a JSON file, or a list',
    ],
  ])('stop the build: %s', async (_, more, message) => {
    configure(more);
    const { exitCode, stderr } = await build();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('verify finds a changed published list', async () => {
    await published();
    const path = folder.at('var/index/_safety.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('<1.1.0', '<1.0.0'));
    const { exitCode, stdout } = await runCli(['verify', '--json'], { cwd: folder.path });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('index/_safety.json');
  });
});
