// Tests the table "What Composer prints last" of docs/how-to/troubleshooting.md: the tested Composer prints the warning
// and the last line of each row, with an empty cache. `npm test` plays three rows.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bearerAuth, createProject, type ComposerResult } from '../util/composer.ts';
import { archiveFor } from '../util/mirroring-registry.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { playsSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';

interface Row {
  readonly situation: string;
  readonly command: 'install' | 'update';
  readonly warning: string;
  readonly line: string;
}

/** The rows of the table, one for each situation. "the same" is the last line of the row above. */
function readTable(): readonly Row[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/troubleshooting.md'), 'utf8');
  const section = /^### What Composer prints last\n([^]*?)^### /m.exec(page)?.[1] ?? '';
  const cells = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
  let above = '';
  return cells.slice(2).flatMap(([situations = '', command = '', warning = '', written = '']) => {
    const line = written === 'the same' ? above : written;
    above = line;
    const kind = command.includes('install') ? 'install' : 'update';
    return situations.split(', ').map((situation) => ({ situation, command: kind, warning, line }) as const);
  });
}

/** The quoted texts of a cell. An ellipsis stands for any text, HOST for the registry, and PACKAGE for the package. */
function quotesOf(cell: string, host: string, name: string): readonly RegExp[] {
  return [...cell.matchAll(/`([^`]+)`|"([^"]+)"/g)].map(([, code, quote]) => {
    const parts = (code ?? quote ?? '').replaceAll('HOST', host).replaceAll('PACKAGE', name).split('…');
    return new RegExp(parts.map((part) => part.trim().replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('.*'));
  });
}

/** The last message: what follows the last empty line, without the usage that Composer prints behind an error. */
function lastMessage({ output }: ComposerResult): string {
  return (
    output
      .replace(/\n\n(?:install|update) \[[^]*$/, '')
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? ''
  );
}

const rows = readTable();
/** In `npm test`: a version that is hidden, a limit that is reached, and a version that still installs. */
const isInEachRun = ({ situation, command }: Row): boolean =>
  command === 'install' && ['hidden version', 'token without requests left', 'withdrawn version'].includes(situation);
const own = ['plain', 'hidden', 'withdrawn', 'purged', 'blocked'] as const;

describe.skipIf(lacks('composer', 'php'))('the last line of Composer', () => {
  let upstream: TestUpstream;
  let registry: Registry;
  /** by the situation: the package, and the token */
  let cases: Readonly<Record<string, readonly [name: string, token: string]>>;

  const run = async (command: Row['command'], name: string, token: string): Promise<ComposerResult> => {
    const composerJson = { require: { [name]: '^1.0' } };
    await using app = createProject({ url: registry.url, auth: bearerAuth(registry.front.host, token), composerJson });
    const url = `${registry.url}/dist/%package%/%prettyVersion%.zip?ref=%reference%`;
    const mirrors = [{ url, preferred: true }];
    const dist = { type: 'zip', url: `/dist/${name}/1.0.0.zip`, reference: '', mirrors };
    const packages = [{ name, version: '1.0.0', type: 'library', dist }];
    const lock = { 'content-hash': '', packages, 'packages-dev': [] };
    if (command === 'install') writeFileSync(join(app.path, 'composer.lock'), JSON.stringify(lock));
    return await app.run(command);
  };

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.put('some/lib', [{ version: '1.0.0', zip: archiveFor('some/lib') }]);
    registry = await startRegistry({
      settings: { 'mirroring.url': upstream.url, 'mirroring.enabled': 'true' },
      serve: ['--policy', 'policy.json'],
      prepare: (folder) => {
        const blocking = { name: 'mit', rule: 'license', allow: ['MIT'], action: 'block' };
        writeFileSync(folder.at('policy.json'), JSON.stringify({ rules: [blocking] }));
        writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
        for (const [name, version] of own.flatMap((one) => [[one, '0.9.0'] as const, [one, '1.0.0'] as const]))
          writeTree(
            folder.path,
            below(
              `packages/${name}-${version}`,
              whoLibrary(`acme/${name}`, version, {
                license: `${name} ${version}` === 'blocked 1.0.0' ? 'GPL-3.0-only' : 'MIT',
              }),
            ),
          );
      },
    });
    const expired = (await registry.createToken('--expires', new Date(Date.now() + 5000).toISOString())).token;
    await registry.build('packages');
    for (const args of [
      ['withdraw', 'acme/withdrawn', '1.0.0'],
      ['purge', 'acme/purged', '1.0.0', '--reason', 'malware', '--yes'],
    ])
      expect(await registry.cli('package', ...args)).toMatchObject({ exitCode: 0 });
    const limited = (await registry.createToken('--package', 'acme/hidden:<1.0')).token;
    const used = (await registry.createToken('--limit', '1')).token;
    const statusOf = async (token: string): Promise<number> =>
      (await fetch(`${registry.direct()}/packages.json`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await statusOf(used)).toBe(200);
    if (playsSeries)
      await vi.waitFor(async () => expect(await statusOf(expired)).toBe(401), { timeout: 60_000, interval: 50 });
    upstream.failing.status = 503;
    cases = {
      'wrong token': ['acme/plain', registry.token.slice(0, -4)],
      'expired token': ['acme/plain', expired],
      'token without requests left': ['acme/plain', used],
      'hidden version': ['acme/hidden', limited],
      'withdrawn version': ['acme/withdrawn', registry.token],
      'purged version': ['acme/purged', registry.token],
      'blocked version': ['acme/blocked', registry.token],
      'upstream away': ['some/lib', registry.token],
    };
  }, 120_000);
  afterAll(async () => {
    await registry.stop();
    await upstream[Symbol.asyncDispose]();
  });

  it('the table has each situation for both commands', () => {
    expect(rows.map(({ situation, command }) => `${situation} ${command}`).toSorted()).toEqual(
      Object.keys(cases)
        .flatMap((situation) => [`${situation} install`, `${situation} update`])
        .toSorted(),
    );
  });

  it.concurrent.each(rows.filter((row) => playsSeries || isInEachRun(row)))(
    '$situation, $command',
    async ({ situation, command, warning, line }) => {
      const [name = '', token = ''] = cases[situation] ?? [];
      const result = await run(command, name, token);
      const quotes = quotesOf(line, registry.url, name);
      expect(result.exitCode === 0, result.output).toBe(quotes.length === 0);
      const said = quotesOf(warning, registry.url, name);
      for (const quote of said)
        expect(result.output).toMatch(new RegExp(`Warning from ${registry.front.host}: ${quote.source}`));
      if (said.length === 0) expect(result.output).not.toContain('Warning from');
      for (const quote of quotes) expect(lastMessage(result)).toMatch(quote);
    },
  );
});
