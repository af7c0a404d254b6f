// Tests `libretto token import` with a running server: secrets of Repman and package.broker keep working until they are
// rotated, users of a htpasswd file get new secrets, and a repeated import changes nothing.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { describeInSeries } from '../util/series.ts';

const repman = 'a1'.repeat(32);
const broker = 'Zz9'.repeat(21) + 'q';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const day = 86_400;

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry({
    prepare: (folder) => {
      writeTree(folder.at('a'), below('.', libraryTree('acme/a', { version: '1.0.0' })));
      writeTree(folder.at('b'), below('.', libraryTree('other/b', { version: '1.0.0' })));
    },
    sources: ['./a', './b'],
  });
});
afterAll(() => registry.stop());

const status = async (secret: string, path = '/p2/acme/a.json', basic = true): Promise<number> => {
  const authorization = basic ? `Basic ${Buffer.from(`token:${secret}`).toString('base64')}` : `Bearer ${secret}`;
  const reply = await fetch(`${registry.url}${path}`, { headers: { authorization } });
  await reply.arrayBuffer();
  return reply.status;
};

interface Imported {
  readonly dry_run: boolean;
  readonly tokens: {
    readonly description: string;
    readonly change: string;
    readonly id: string;
    readonly token: string;
  }[];
}
const importFile = async (content: unknown, ...flags: readonly string[]): Promise<Imported> => {
  writeFileSync(registry.folder.at('tokens'), typeof content === 'string' ? content : JSON.stringify(content));
  const { exitCode, stdout, stderr } = await registry.cli('token', 'import', 'tokens', '--json', ...flags);
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Imported;
};
const changes = ({ tokens }: Imported): readonly string[] => tokens.map(({ change }) => change);

const ofRepman = { data: [{ name: 'CI', value: repman, createdAt: '2024-01-01T00:00:00+00:00', lastUsedAt: null }] };

describeInSeries('tokens of Repman', () => {
  it('keep their secret until they are rotated, with the limits of the flags', async () => {
    expect(await status(repman)).toBe(401);
    expect(changes(await importFile(ofRepman, '--dry-run', '--package', 'acme/*'))).toEqual(['import']);
    expect(await status(repman)).toBe(401);
    const imported = await importFile(ofRepman, '--package', 'acme/*');
    expect(imported.tokens).toEqual([
      { description: 'CI', change: 'import', id: expect.stringMatching(/^tok_/) as string, token: null },
    ]);
    expect([await status(repman), await status(repman, '/p2/acme/a.json', false)]).toEqual([200, 200]);
    expect(await status(repman, '/p2/other/b.json')).toBe(404);
    expect([await status(`${repman.slice(1)}2`), await status('b2'.repeat(32))]).toEqual([401, 401]);
    const again = await importFile(ofRepman);
    expect([changes(again), again.tokens[0]?.id]).toEqual([['none'], imported.tokens[0]?.id]);

    const doctor = (): Promise<string> => registry.cli('doctor').then(({ stdout }) => stdout.replaceAll(/\s+/g, ' '));
    expect(await doctor()).toContain('1 token has the secret of another registry');
    const id = imported.tokens[0]?.id ?? '';
    const { stdout } = await registry.cli('token', 'rotate', id, '--grace', '1h');
    const rotated = /lib_r_\w+/.exec(stdout)?.[0] ?? '';
    expect([await status(rotated), await status(repman)]).toEqual([200, 200]);
    expect(await doctor()).not.toContain('another registry');
    await registry.cli('token', 'rotate', id, '--grace', '0');
    expect([await status(rotated), await status(repman)]).toEqual([401, 401]);
    // the file does not bring the former secret back
    expect(changes(await importFile(ofRepman))).toEqual(['none']);
    expect(await status(repman)).toBe(401);
    expect((await registry.cli('verify')).exitCode).toBe(0);
  });
});

describe('tokens of package.broker', () => {
  it('have their kind, limit and end', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const row = (description: string, secret: string, more: object): object => ({
      id: description,
      description,
      token_hash: sha256(secret),
      permissions: 'readonly',
      rate_limit_max: 1000,
      expires_at: null,
      ...more,
    });
    const rows = [
      row('deploy', broker, { permissions: 'write', rate_limit_max: null, expires_at: seconds + day }),
      row('old', `${broker}x`, { expires_at: seconds - day }),
    ];
    expect(changes(await importFile([{ results: rows, success: true }]))).toEqual(['import', 'expired']);
    expect(changes(await importFile(rows))).toEqual(['none', 'expired']);
    expect([await status(broker), await status(`${broker}x`)]).toEqual([200, 401]);
    const { tokens } = JSON.parse((await registry.cli('token', 'list', '--json')).stdout) as {
      tokens: Record<string, unknown>[];
    };
    const deploy = tokens.find(({ description }) => description === 'deploy');
    expect(deploy).toMatchObject({ kind: 'write', rate_limit: 0 });
    expect(Date.parse(String(deploy?.['expires_at']))).toBe((seconds + day) * 1000);
    await registry.cli('token', 'revoke', String(deploy?.['id']));
    expect([changes(await importFile([rows[0]])), await status(broker)]).toEqual([['none'], 401]);
  });
});

describe('a htpasswd file', () => {
  it('gives each user a token of that name with a new secret, once', async () => {
    const file = '# Satis\nann:$apr1$Ls0lkDsN$xyz\n\nbob:{SHA}abc=\n';
    const { tokens } = await importFile(file, '--package', 'acme/*');
    expect(tokens.map(({ description, change }) => [description, change])).toEqual([
      ['ann', 'create'],
      ['bob', 'create'],
    ]);
    for (const { token } of tokens)
      expect([await status(token), await status(token, '/p2/other/b.json')]).toEqual([200, 404]);
    expect(changes(await importFile(file))).toEqual(['none', 'none']);
    const { stdout } = await registry.cli('token', 'import', 'tokens', '--dry-run');
    expect(stdout).toMatch(/ann +is here already +tok_/);
  });
});

it.each([
  ['', /lists no token and no user/],
  ['{"data": [{"name": "CI", "value": "short"}]}', /entry 1: the value is shorter/],
  ['[{"description": "x", "token_hash": "abc"}]', /entry 1: token_hash is no SHA-256/],
  ['[{"description": "", "token_hash": "' + 'a'.repeat(64) + '"}]', /entry 1: A token needs a description/],
  ['{"tokens": []}', /has no list of tokens/],
  ['[{"a": 1}]', /entry 1 is no token/],
  ['{', /is not JSON/],
  ['ann', /line 1 has no user name before a colon/],
])('refuses %s, and names the place', async (content, message) => {
  writeFileSync(registry.folder.at('tokens'), content);
  const { exitCode, stderr } = await registry.cli('token', 'import', 'tokens');
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message) as string]);
});
