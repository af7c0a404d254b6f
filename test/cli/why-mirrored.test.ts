// Tests the explanations of `libretto why` for mirrored versions that are not offered, or are offered differently.

import { utimesSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    { version: '1.5.0', zip: zipOf([{ name: '../evil.php', data: 'x' }]), extra: { license: ['MIT'] } },
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
      '\n2 versions are left out by mirroring.licenses, such as 1.1.0: its licence GPL-3.0-only is not allowed.\n',
    );
    expect(explanation).toContain(
      '\nOne version is left out by mirroring.abandoned, 1.3.0: it is abandoned; use other/lib instead.\n',
    );
    expect(explanation).toMatch(/\nOne version is left out since Composer could not load it, 1\.4\.0: /);
    expect(explanation).not.toContain('ALARM');
  });

  it('names the reason for one excluded version, in any spelling', async () => {
    expect(await why('1.2.0')).toContain(
      '\nOne version is left out by mirroring.licenses, v1.2.0: its licence GPL-3.0-only',
    );
    expect(await why('1.2.0')).not.toContain('abandoned');
    expect(await why('1.0.0')).not.toContain('left out');
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
    const refusal = /some\/lib 1\.5\.0: .*The archive's entry "\.\.\/evil\.php" has a "\.\." segment/;
    expect(await registry.warm(['some/lib', '1.5.0'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(refusal) as unknown,
    });
    expect(await why('1.5.0')).toMatch(/\nArchive refused, 1\.5\.0: http.*"\.\.\/evil\.php" has a "\.\." segment/);
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
    upstream.put('some/tarred', [
      version('1.0.0', { dist: { type: 'tar', url: 'https://x.example/x.tar', reference: 'a' } }),
    ]);
    await registry.warm(['some/tarred', '1.0.0']);
    expect(await registry.json('mirror', 'verify')).toMatchObject({
      ok: true,
      changed: [{ name: 'some/lib', version: '1.0.0' }],
      without_zip: ['some/tarred 1.0.0 is not mirrored: its archive is not a ZIP (tar)'],
    });
  });
});
