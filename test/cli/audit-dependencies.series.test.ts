// Tests `npm run audit` against a registry on loopback: which advisories it refuses, and that silence is not a pass.

import { writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNpmRegistry, type Advisory, type RegistryContents } from '../util/npm-registry.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

const root = new URL('../..', import.meta.url).pathname;

let folder: TemporaryFolder;
beforeAll(() => void (folder = temporaryFolder('audit')));
afterAll(() => folder.remove());

const advisory = (severity: Advisory['severity'], ghsa: string): readonly Advisory[] => [
  {
    // npm keeps what it has computed for a number
    id: Number.parseInt(ghsa.slice(-4), 36),
    url: `https://github.com/advisories/${ghsa}`,
    title: 'A hole',
    severity,
    vulnerable_versions: '*',
  },
];

async function audit(
  contents: RegistryContents,
  permissions: readonly object[] | string = [],
): Promise<{ readonly exitCode: number | undefined; readonly text: string }> {
  await using registry = await startNpmRegistry(contents);
  const file = folder.at('permitted.json');
  writeFileSync(file, typeof permissions === 'string' ? permissions : JSON.stringify(permissions));
  const { exitCode, all } = await execa(process.execPath, ['release/audit.mjs', '--permitted', file], {
    cwd: root,
    env: registry.environment(folder.path),
    reject: false,
    all: true,
  });
  return { exitCode, text: all };
}

const permission = { reason: 'We send no cookies.' };

describe('npm run audit', () => {
  it('passes where the registry knows no advisory, and says how much it checked', async () => {
    const { exitCode, text } = await audit({ advisories: {} });
    expect([exitCode, text]).toEqual([0, expect.stringMatching(/Checked \d+ packages, of which \d+ are inside/)]);
    expect(text).toContain('Not checked: LMDB, LZ4 and libdeflate');
  });

  it('refuses advisories about libraries inside the package and severe ones about tools, except permitted ones', async () => {
    const { exitCode, text } = await audit(
      {
        advisories: {
          zod: advisory('low', 'GHSA-zzzz-zzzz-zzz1'),
          hono: advisory('high', 'GHSA-hhhh-hhhh-hhh1'),
          pino: advisory('high', 'GHSA-pppp-pppp-ppp1'),
          oxlint: advisory('moderate', 'GHSA-oooo-oooo-ooo1'),
          vitest: advisory('high', 'GHSA-rrrr-rrrr-rrr1'),
        },
      },
      [
        { ...permission, advisory: 'GHSA-hhhh-hhhh-hhh1', library: 'hono', until: '2999-12-31' },
        { ...permission, advisory: 'GHSA-pppp-pppp-ppp1', library: 'pino', until: '2020-01-31' },
        { ...permission, advisory: 'GHSA-uuuu-uuuu-uuu1', library: 'undici', until: '2999-12-31' },
      ],
    );
    expect(exitCode).toBe(1);
    const inside = (name: string): string =>
      `inside the package: node_modules/${name}). https://github.com/advisories/`;
    for (const line of [
      `REFUSED   zod: A hole (low, GHSA-zzzz-zzzz-zzz1, ${inside('zod')}GHSA-zzzz-zzzz-zzz1`,
      `permitted hono: A hole (high, GHSA-hhhh-hhhh-hhh1, ${inside('hono')}GHSA-hhhh-hhhh-hhh1 Permitted until 2999-12-31: We send no cookies.`,
      `REFUSED   pino: A hole (high, GHSA-pppp-pppp-ppp1, ${inside('pino')}GHSA-pppp-pppp-ppp1 Its permission ended on 2020-01-31.`,
      'tolerated oxlint: A hole (moderate, GHSA-oooo-oooo-ooo1, development tool: node_modules/oxlint)',
      'REFUSED   vitest: A hole (high, GHSA-rrrr-rrrr-rrr1, development tool: node_modules/vitest)',
      'unused    The permission for GHSA-uuuu-uuuu-uuu1 (undici) has no advisory: remove it.',
      '3 advisories are refused.',
    ])
      expect(text).toContain(line);
  });

  it('refuses a permission without a last day', async () => {
    const entry = { ...permission, advisory: 'GHSA-hhhh-hhhh-hhh1', library: 'hono' };
    const { exitCode, text } = await audit({ advisories: {} }, [entry]);
    expect([exitCode, text]).toEqual([2, expect.stringContaining('permitted.json: entry 1 has no "until"')]);
  });

  it.each(['2026-13-99', '2027-02-29', '31.1.2027'])('refuses the last day %s', async (until) => {
    const entry = { ...permission, advisory: 'GHSA-hhhh-hhhh-hhh1', library: 'hono', until };
    const { exitCode, text } = await audit({ advisories: {} }, [entry]);
    expect([exitCode, text]).toEqual([
      2,
      expect.stringContaining(`permitted.json: "until" of entry 1 is "${until}". Write a day as YYYY-MM-DD.`),
    ]);
  });

  it('names the file of permissions that is no JSON', async () => {
    const { exitCode, text } = await audit({ advisories: {} }, '[}');
    expect([exitCode, text]).toEqual([
      2,
      expect.stringMatching(/permitted\.json is not valid JSON: .*Correct the file/),
    ]);
  });

  it('ends with 69 where the registry does not answer, and says that nothing was checked', async () => {
    const { exitCode, text } = await audit({});
    expect([exitCode, text]).toEqual([69, expect.stringContaining('Nothing was checked: the registry gave no advis')]);
    expect(text).toContain('Run `npm run audit` again');
  });
});
