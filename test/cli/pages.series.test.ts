// Plays the blocks of pages about commands in a folder of its own, as pasted: audit, teams, keys, views, policy,
// advisories, purge, catalogue, mirroring, protocol, satis, passkeys, the state in Redis and the configuration file. Ids, names of files and the head
// of the log are those of this registry. Blocks with other lines than commands, and those that a test names, do not run.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demandCompiled } from '../setup/compiled.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { blocksOf, blockWith, type PageBlock } from '../util/page-blocks.ts';
import { startRedis } from '../util/redis-server.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const main = new URL('../../lib/cli/main.js', import.meta.url).pathname;
const pageOf = (name: string): string => `docs/${name}.md`;

/** What a page calls these things. */
interface Names {
  readonly token?: string;
  readonly repository?: string;
  readonly head?: string;
}

const isRunnable = ({ language, text }: PageBlock): boolean =>
  (language === 'sh' || language === '') &&
  text.split('\n').every((line) => line === '' || line.startsWith('libretto '));

describe('the pages about commands', () => {
  let folder: TemporaryFolder;
  let names: Names;

  /** Runs lines in a shell that stops at the first failure. */
  const run = async (lines: string, exitCode = 0): Promise<string> => {
    const shell = `set -e\nlibretto() { '${process.execPath}' '${main}' "$@"; }\n${lines}`;
    const { all, exitCode: code } = await execa('sh', ['-c', shell], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], HOME: folder.path, NO_COLOR: '1' },
      extendEnv: false,
      reject: false,
      all: true,
    });
    expect(code, `${lines}\n${all}`).toBe(exitCode);
    return all;
  };
  const named = (text: string): string =>
    text
      .replaceAll(/\btok_\w+|TOKEN_ID/g, names.token ?? 'tok')
      .replaceAll(/\brepo_\w+|\bID\b/g, names.repository ?? 'repo')
      .replaceAll(/\bUSER\b/g, 'ada@example.org')
      .replaceAll(/\bFILE\b/g, 'secret.txt')
      .replaceAll('/var/www/packages', folder.at('www'));
  /** Runs the runnable blocks of a page, and returns what they printed. */
  const play = async (page: string, without = /(?!)/): Promise<string> => {
    const blocks = blocksOf(pageOf(page)).filter((block) => isRunnable(block) && !without.test(block.text));
    expect(blocks.length, page).toBeGreaterThan(0);
    return run(blocks.map(({ text }) => named(text)).join(''));
  };
  const configure = (settings: object): void =>
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ ...settings, sources: ['packages'] }));

  beforeAll(async () => {
    demandCompiled();
    folder = temporaryFolder('pages');
    writeTree(
      folder.at('packages'),
      ['hello-1.0.0', 'hello-1.2.0', 'shop-3.0.0', 'core-1.0.0', 'tool-1.2.0'].reduce((tree, one) => {
        const [name = '', version = ''] = one.split('-');
        return { ...tree, ...below(one, libraryTree(`acme/${name}`, { version, license: 'MIT' })) };
      }, {}),
    );
    writeFileSync(folder.at('secret.txt'), 'secret\n');
    configure({ egress: { allow: ['127.0.0.1'] } });
    writeFileSync(folder.at('password.txt'), 'correct horse battery\n');
    const made = await run(`libretto build
      libretto user create --admin --email ada@example.org --password-stdin < password.txt
      libretto user create --email bob@example.org --invite
      libretto token create --description Shop --package acme/shop
      libretto repository add https://127.0.0.1/acme/other.git`);
    names = { token: /tok_\w+/.exec(made)?.[0] ?? 'tok', repository: /repo_\w+/.exec(made)?.[0] ?? 'repo' };
  }, 60_000);
  afterAll(() => folder.remove());

  it('audit.md, keys.md and configuration-file.md', async () => {
    const head = /\d+:[0-9a-f]{64}/.exec((await run('libretto audit verify')).replace(/ (?=[0-9a-f]{64})/, ':'))?.[0];
    await play('how-to/audit', /--head/);
    expect(await run(`libretto audit verify --head ${head ?? 'none'}`)).toMatch(/\d/);
    await play('how-to/keys', /hook/);
    await play('how-to/passkeys');
    await play('how-to/configuration-file');
    await run(named('libretto repository remove repo_4fHj2kLm9QwErTy0 --yes'));
  });

  it('usage.md', async () => {
    expect(await play('how-to/usage', /report|libretto api/)).toContain('acme/hello');
  });

  it('teams.md and views.md', async () => {
    await run('libretto settings set people.packages teams');
    await play('how-to/teams', /token revoke/);
    const shown = await play('reference/views', /token revoke/);
    expect(shown).toContain('acme/shop');
    const explained =
      /^\$ (libretto .*)$/m.exec(blockWith(pageOf('reference/views'), 'token explain').text)?.[1] ?? 'false';
    expect(await run(named(explained), 1)).toContain('does not see acme/shop 3.0.0');
    await run(named('libretto token revoke tok_4fHj2kLm9QwErTy0'));
  });

  it('policy.md and protocol.md', async () => {
    const written = blocksOf(pageOf('how-to/policy')).find(({ language }) => language === 'json')?.text ?? '{}';
    writeFileSync(folder.at('policy.json'), written);
    await play('how-to/policy', /policy explain/);
    expect(await run('libretto policy explain acme/tool 1.2.0')).toContain('acme/tool');
    await play('reference/protocol');
  });

  it('advisories.md: the build prints what the page shows', async () => {
    const page = pageOf('how-to/advisories');
    const [first, advisories, filters] = blocksOf(page).filter(({ language }) => language === 'json');
    writeFileSync(folder.at('advisories.json'), advisories?.text ?? '');
    writeFileSync(folder.at('eol.json'), '[]');
    configure({ ...(JSON.parse(first?.text ?? '{}') as object), ...(JSON.parse(filters?.text ?? '{}') as object) });
    const shown =
      blocksOf(page)
        .find(({ text }) => text.includes('is affected by'))
        ?.text.trim() ?? 'nothing';
    expect(await run('libretto build')).toContain(shown);
  });

  it('mirroring.md, catalogue.md and satis.md', async () => {
    await play('how-to/mirroring', /mirror (?:warm|refresh)/);
    mkdirSync(folder.at('www'));
    await play('how-to/catalogue');
    expect(readFileSync(folder.at('www/index.html'), 'utf8')).toContain('acme/hello');
    writeFileSync(folder.at('satis.json'), '{"name": "acme/satis", "repositories": []}');
    await run('rm libretto.json');
    await run(blockWith(pageOf('how-to/satis'), 'import satis').text);
    expect(readFileSync(folder.at('libretto.json'), 'utf8')).toContain('sources');
  });

  it('purge.md: the version is gone, and never comes back', async () => {
    configure({});
    const page = pageOf('how-to/purge');
    expect(await run(blockWith(page, '--reason secret --dry-run').text)).toContain('acme/hello 1.2.0');
    await run(blockWith(page, '--note').text.replace('\n', ' --yes\n'));
    expect(await run('libretto why acme/hello 1.2.0', 1)).toContain('It never comes back');
    expect(await run('libretto build')).toContain('This version was purged');
    expect(await run('libretto package list')).toMatch(/acme\/hello +1\.0\.0/);
  });

  it.skipIf(lacks('redis-server'))('state-in-redis.md: the rights of the page are enough', async () => {
    const redis = await startRedis(['--appendonly', 'yes']);
    const [command = '', ...words] = blockWith(pageOf('how-to/state-in-redis'), 'ACL SETUSER').text.trim().split(' ');
    await redis.command(command, ...words);
    const report =
      await run(`export LIBRETTO_STATE=${redis.url.replace('//', '//libretto:PASSWORD@')} LIBRETTO_DATA=shared
      libretto build packages
      libretto token create --description "CI"
      libretto doctor || true`);
    for (const check of ['redis.state', 'redis.state.writable'])
      expect(report).toMatch(new RegExp(`^ok +${check.replaceAll('.', String.raw`\.`)} `, 'm'));
    await redis.stop();
  });
});
