// Tests `libretto receive` as a deploy script runs it: its output and its exit codes.

import { cpSync, existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, writeTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';

describe('libretto receive', () => {
  const folder = temporaryFolder('receive');
  const libretto = (...args: readonly string[]) => runCli(args, { cwd: folder.path });
  /** The tree that a CI job built, copied to incoming/shop. */
  const send = async (): Promise<void> => {
    expect((await libretto('build', 'packages', '--data', 'made')).exitCode).toBe(0);
    rmSync(folder.at('incoming'), { recursive: true, force: true });
    for (const part of ['public', 'index'])
      cpSync(folder.at('made', part), folder.at('incoming/shop', part), { recursive: true });
  };

  beforeAll(async () => {
    writeTree(folder.path, below('packages/hello', whoLibrary('acme/hello', '1.0.0')));
    await send();
  });
  afterAll(() => folder.remove());

  it('lists the changes in a dry run, publishes them, and changes nothing the second time', async () => {
    const dry = await libretto('receive', 'incoming/shop', '--dry-run');
    expect([dry.exitCode, dry.stdout.replace(/\d\.\d s/, '0.1 s'), existsSync(folder.at('var/public'))]).toEqual([
      0,
      'To be published: 1 added, 0 changed, 0 withdrawn (publication 0 stays, 0.1 s).\n  + acme/hello 1.0.0',
      false,
    ]);
    const received = await libretto('receive', 'incoming/shop', '--json');
    expect([received.exitCode, JSON.parse(received.stdout)], received.stderr).toMatchObject([
      0,
      { published: true, serial: 1, added: [{ name: 'acme/hello', version: '1.0.0', source: 'received:shop' }] },
    ]);
    expect((await libretto('receive', 'incoming/shop', '--dry-run')).stdout).toContain('Nothing would change');
    expect((await libretto('receive', 'incoming/shop')).stdout).toContain('Nothing has changed (publication 1');
    expect((await libretto('verify')).exitCode).toBe(0);
  });

  it('exits with 1 for an excluded version, and with 2 without a change for a damaged or unnamed tree', async () => {
    rmSync(folder.at('packages/hello'), { recursive: true });
    writeTree(folder.path, below('packages/hello', whoLibrary('acme/hello', '1.0.0', {}, 'changed')));
    writeTree(folder.path, below('packages/more', whoLibrary('acme/more', '1.0.0')));
    rmSync(folder.at('made'), { recursive: true });
    await send();
    const strict = await libretto('receive', 'incoming/shop', '--strict');
    expect([strict.exitCode, strict.stdout]).toEqual([1, expect.stringContaining('Nothing was published') as string]);
    const received = await libretto('receive', 'incoming/shop');
    expect([received.exitCode, received.stdout, received.stderr]).toEqual([
      1,
      expect.stringContaining('+ acme/more 1.0.0') as string,
      expect.stringContaining('[VERSION_CHANGED]') as string,
    ]);
    rmSync(folder.at('incoming/shop/public/dist/acme/more/1.0.0.zip'));
    const broken = await libretto('receive', 'incoming/shop');
    expect([broken.exitCode, broken.stdout, broken.stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/1\.0\.0\.zip is missing.*Copy the whole tree again/s) as string,
    ]);
    const nameless = await libretto('receive', 'incoming/shop', '--as', 'the shop');
    expect([nameless.exitCode, nameless.stderr]).toEqual([2, expect.stringContaining('--as') as string]);
  });
});
