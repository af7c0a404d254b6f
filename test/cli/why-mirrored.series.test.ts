// Tests the explanations of `libretto why` for mirrored versions that are not offered, or are offered differently.

import { utimesSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerWith } from '../util/dist-server.ts';
import { archiveFor, mirroringRegistry, type MirroringRegistry } from '../util/mirroring-registry.ts';
import { zipOf } from '../util/hostile-zip.ts';
import { allFiles } from '../util/published-tree.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

let upstream: TestUpstream;
let registry: MirroringRegistry;
const version = (number: string, extra: Readonly<Record<string, unknown>> = {}) => ({
  version: number,
  zip: archiveFor(number),
  extra,
});
beforeAll(async () => {
  upstream = await startUpstream();
  registry = await mirroringRegistry(upstream.url);
  upstream.put('some/lib', [
    version('1.0.0'),
    version('1.1.0', { license: ['GPL-3.0-only'] }),
    version('v1.2.0', { license: ['GPL-3.0-only'] }),
    version('1.3.0', { abandoned: 'other/lib' }),
    version('1.4.0', { require: { php: 'no constraint at all' } }),
    version('1.5.0', { dist: { type: 'tar', url: `${upstream.url}/a.tar`, reference: 'a' } }),
    version('1.5.1', { dist: { type: 'tar', url: `${upstream.url}/b.tar`, reference: 'b' } }),
    version('1.6.0', { dist: null }),
    { version: '1.7.0', zip: zipOf([{ name: '../evil.php', data: 'x' }]), extra: { license: ['MIT'] } },
  ]);
  for (const [key, value] of [
    ['licenses', '["MIT"]'],
    ['abandoned', 'refuse'],
  ] as const)
    await registry.json('settings', 'set', `mirroring.${key}`, value);
  expect(await registry.warm(['some/lib', '1.0.0'])).toMatchObject({ exitCode: 0, stderr: '' });
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const why = async (...operands: readonly string[]): Promise<string> =>
  (await registry.cli('why', 'some/lib', ...operands)).stdout;

describe('libretto why', () => {
  it('names the rule that excludes versions, in total', async () => {
    const explanation = await why();
    expect(explanation).toContain(
      '\n2 versions are left out by mirroring.licenses:\n' +
        '  1.1.0: its licence GPL-3.0-only is not allowed.\n  v1.2.0: its licence GPL-3.0-only is not allowed.\n',
    );
    expect(explanation).toContain(
      '\nOne version is left out by mirroring.abandoned, 1.3.0: it is abandoned; use other/lib instead.\n',
    );
    expect(explanation).toMatch(/\nOne version is left out since its record is invalid, 1\.4\.0: .*[^.]\.\n/);
    expect(explanation).toContain(
      '\n2 versions are left out since their archives are no ZIPs:\n' +
        '  1.5.0: the type of its archive is tar; ZIP archives are mirrored.\n' +
        '  1.5.1: the type of its archive is tar; ZIP archives are mirrored.\n' +
        'One version is left out since it has no archive, 1.6.0: it has only a source (git); archives are mirrored.\n',
    );
    expect(explanation).not.toContain('ALARM');
  });

  it('and mirror verify name versions without a ZIP archive', async () => {
    const verified = await registry.cli('mirror', 'verify');
    expect([verified.exitCode, verified.stderr]).toEqual([
      0,
      '  some/lib 1.5.0 is not mirrored: the type of its archive is tar; ZIP archives are mirrored.\n' +
        '  some/lib 1.5.1 is not mirrored: the type of its archive is tar; ZIP archives are mirrored.\n' +
        '  some/lib 1.6.0 is not mirrored: it has only a source (git); archives are mirrored.',
    ]);
    expect(await registry.json('mirror', 'verify')).toMatchObject({
      without_zip: [{ reason: 'dist-type' }, { reason: 'dist-type' }, { name: 'some/lib', reason: 'no-dist' }],
    });
  });

  it('says how old the list of names is, and `mirror refresh` requests a package that was missing', async () => {
    expect((await registry.cli('why', 'some/late')).stdout).toMatch(
      /\npackages\.json of http:\S+ was last requested 20\S+Z\.\n`libretto mirror refresh some\/late` requests it now\.\n/,
    );
    const missing = await registry.cli('mirror', 'refresh', 'some/late');
    expect([missing.exitCode, missing.stderr]).toEqual([1, 'some/late: no upstream has it.']);
    upstream.put('some/late', [version('1.0.0')]);
    const found = await registry.cli('mirror', 'refresh', 'some/late');
    expect([found.exitCode, found.stdout]).toEqual([
      0,
      'some/late was requested. Servers request lists of names anew.',
    ]);
    expect((await registry.cli('why', 'some/late')).stdout).toContain('It comes from http');
    expect(await registry.json('mirror', 'refresh')).toEqual({ name: null, problem: null });
    expect((await registry.cli('mirror', 'refresh', 'acme/app')).stderr).toContain('acme/app: it is not mirrored: ');
  });

  it('says that the list of names of an upstream lacks the package', async () => {
    const list = { 'metadata-url': '/p2/%package%.json', 'available-packages': ['some/lib'] };
    upstream.instead('/packages.json', answerWith(JSON.stringify(list)));
    await registry.cli('mirror', 'refresh', 'some/unlisted');
    expect((await registry.cli('why', 'some/unlisted')).stdout).toMatch(
      /\npackages\.json of \S+ was last requested 20\S+Z\. Its list of names lacks this package\.\n/,
    );
    upstream.instead('/packages.json', undefined);
    await registry.cli('mirror', 'refresh');
    expect((await registry.cli('why', 'some/lib')).stdout).not.toContain('lacks this package');
  });

  it('names the reason for one excluded version, in any spelling', async () => {
    expect(await why('1.2.0')).toContain(
      '\nOne version is left out by mirroring.licenses, v1.2.0: its licence GPL-3.0-only',
    );
    expect(await why('1.2.0')).not.toContain('abandoned');
    expect(await why('1.0.0')).not.toContain('left out');
    expect(await why('9.9.9')).toContain('\nNo stored document has the version 9.9.9.\n');
    expect((await registry.cli('why', 'some/lib', '9.9.9')).exitCode).toBe(1);
    expect(await why('1.0')).not.toContain('No stored document');
    expect((await registry.cli('why', 'some/lib', '1.0')).exitCode).toBe(0);
    expect((await registry.cli('why', 'some/lib', '1.2.0')).exitCode).toBe(1);
    const { mirrored } = await registry.json('why', 'some/lib');
    expect(mirrored).toMatchObject({
      held_back: {
        left_out: expect.arrayContaining([
          expect.objectContaining({ version: '1.3.0', setting: 'mirroring.abandoned' }),
        ]) as unknown,
        changed: [],
      },
    });
  });

  it('names the version whose archive was refused, and the reason', async () => {
    const refusal = /some\/lib 1\.7\.0: .*The archive's entry "\.\.\/evil\.php" has a "\.\." segment/;
    expect(await registry.warm(['some/lib', '1.7.0'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(refusal) as unknown,
    });
    expect(await why('1.7.0')).toMatch(/\nArchive refused, 1\.7\.0: http.*"\.\.\/evil\.php" has a "\.\." segment/);
    expect(await registry.cli('why', 'some/lib', 'v1.7')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('Archive refused, 1.7.0: ') as unknown,
    });
    expect(await why('1.0.0')).not.toContain('evil');
  });

  it('names the version whose record the upstream changed', async () => {
    upstream.put('some/lib', [version('1.0.0', { require: { 'hos/evil': '*' } })]);
    const documents = registry.folder.at('data/mirror/p2');
    for (const path of allFiles(documents)) utimesSync(`${documents}/${path}`, 1e9, 1e9); // last requested long ago
    expect(await registry.warm(['some/lib', '1.0.0'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await why()).toMatch(
      /\nALARM, 1\.0\.0: the upstream changed its require\. The version accepted on .* is still served\.\n/,
    );
    const verified = await registry.cli('mirror', 'verify');
    expect([verified.exitCode, verified.stdout, verified.stderr]).toEqual([
      0,
      'Checked 1 archive: all as accepted.',
      expect.stringMatching(/^ {2}ALARM, some\/lib 1\.0\.0: the upstream changed its require\./) as string,
    ]);
    expect(await registry.json('mirror', 'verify')).toMatchObject({
      ok: true,
      changed: [{ name: 'some/lib', version: '1.0.0' }],
    });
  });
});
