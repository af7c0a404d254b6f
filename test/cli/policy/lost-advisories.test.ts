// I26. Tests the loss of the registry's own advisories and filter lists with the shipped program: their rule still
// offers no blocked version, and `verify`, `doctor` and the log name the loss and the repair.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runDoctor } from '../../util/doctor-report.ts';
import { below, temporaryTree, writeTree } from '../../util/package-tree.ts';
import { startRegistry, type Registry } from '../../util/registry.ts';
import { runCli } from '../../util/run-cli.ts';
import { whoLibrary } from '../../util/who-library.ts';

const lost = 'index/_safety.json';
const repair = 'with the libretto.json that names them';
let registry: Registry;
let source: string;
const file = (): string => `${registry.data}/${lost}`;
const status = async (path: string): Promise<number> =>
  (await fetch(`${registry.direct()}${path}`, { headers: { authorization: `Bearer ${registry.token}` } })).status;

beforeAll(async () => {
  source = temporaryTree({
    ...below('acme/bad', whoLibrary('acme/bad', '1.0.0')),
    ...below('acme/fine', whoLibrary('acme/fine', '1.0.0')),
  }).root;
  registry = await startRegistry({
    sources: [source],
    prepare: (folder) => {
      const filters = { malware: [{ package: 'acme/bad', constraint: '1.0.0', reason: 'It phones home' }] };
      const rules = [{ name: 'malware', rule: 'filter', lists: ['malware'], action: 'block' }];
      writeFileSync(folder.at('libretto.json'), JSON.stringify({ policy: 'policy.json', filters }));
      writeFileSync(folder.at('policy.json'), JSON.stringify({ rules }));
    },
  });
});
afterAll(() => registry.stop());

describe('a lost file of advisories and filter lists', () => {
  let written: string;
  beforeEach(() => void (written = readFileSync(file(), 'utf8')));
  afterEach(() => writeFileSync(file(), written));

  it('is a fault of `verify` and `doctor`, and ends a build that does not know the lists', async () => {
    rmSync(file());
    const verified = await registry.cli('verify', '--json');
    expect([verified.exitCode, JSON.parse(verified.stdout)]).toMatchObject([
      1,
      {
        faults: [{ code: 'MISSING_FILE', path: lost, message: expect.stringContaining('names 1 package.') as string }],
      },
    ]);
    expect(verified.stdout).toContain('Build with the libretto.json that names them, which writes it again');
    const report = await runDoctor(registry.folder.path, ['--data', registry.data]);
    expect([report.exitCode, report.of('tree')?.verdict]).toEqual([1, 'failed']);
    const elsewhere = await runCli(['build', source, '--data', registry.data], { cwd: source });
    expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([2, expect.stringContaining(`${lost}: The file of`)]);
    writeFileSync(file(), written);
    expect((await registry.cli('verify')).exitCode).toBe(0);
  });

  it('is an error of every request that needs it, until `libretto build` writes it again', async () => {
    expect(await status('/dist/acme/bad/1.0.0.zip')).toBe(410);
    rmSync(file());
    // the server reads its files again after a publication
    writeTree(`${source}/acme/late`, whoLibrary('acme/late', '1.0.0'));
    await registry.build('--only', 'acme/late');
    expect([await status('/dist/acme/bad/1.0.0.zip'), await status('/health')]).toEqual([500, 200]);
    const log = (): string => JSON.stringify(registry.log());
    await expect.poll(log).toMatch(`${lost} cannot be used: The file of advisories and filter lists is lost`);
    expect(log()).toContain(repair);
    await registry.build();
    expect(readFileSync(file(), 'utf8')).toBe(written);
    expect([await status('/dist/acme/bad/1.0.0.zip'), await status('/dist/acme/fine/1.0.0.zip')]).toEqual([410, 200]);
  });

  it('stays lost in a build of some packages, which uses the lists of libretto.json', async () => {
    rmSync(file());
    await registry.build('--only', 'acme/bad');
    expect((await registry.cli('verify')).exitCode).toBe(1);
    await registry.build();
    expect(readFileSync(file(), 'utf8')).toBe(written);
    expect((await registry.cli('verify')).exitCode).toBe(0);
  });

  it('keeps a server from its start, as a damaged one does', async () => {
    await registry.stopServer();
    rmSync(file());
    const serve = await registry.cli('serve', '--listen', '127.0.0.1:0');
    expect([serve.exitCode, serve.stderr]).toEqual([2, expect.stringContaining(`${lost} cannot be used`)]);
  });
});
