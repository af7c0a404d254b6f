// Tests the questions of `libretto init`: by flags, at a terminal, and with the standard answers.

import { mkdirSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Answers } from '../../../../cli/init/answers.ts';
import { collectAnswers } from '../../../../cli/init/collect-answers.ts';
import type { Context } from '../../../../cli/io/context.ts';
import { openQuestions, QuestionsCancelled } from '../../../../cli/io/questions.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../../util/package-tree.ts';

let tree: TemporaryTree;
beforeAll(() => {
  tree = temporaryTree({
    ...below('packages/a', libraryTree('acme/a', { version: '1.0.0' })),
    ...below('packages/b', libraryTree('acme/b', { version: '1.0.0' })),
    ...below('checkouts/one', libraryTree('acme/one')),
    ...below('checkouts/two', libraryTree('acme/two')),
    'zips/a.zip': 'PK',
    'cert.pem': '',
    'empty/': '',
  });
  for (const name of ['one', 'two']) mkdirSync(tree.path('checkouts', name, '.git'));
});
afterAll(() => tree.remove());

const resolveHost = async (host: string): Promise<readonly string[]> => {
  if (host === 'git.corp') return ['10.1.2.3'];
  throw new Error('unknown');
};

interface Session {
  readonly answers: Answers;
  readonly said: string;
}

/** Answers the questions with these lines. */
async function typed(lines: readonly string[], flags: Record<string, unknown> = {}): Promise<Session> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  let said = '';
  const stderr = { isTTY: true, columns: 80, write: (text: string) => void (said += text) };
  const questions = openQuestions({ stdin: input, stderr } as unknown as Context);
  // the last question, about counting, takes Enter
  input.end([...lines, ''].map((line) => `${line}\n`).join(''));
  try {
    const answers = await collectAnswers({
      flags,
      place: { workingDirectory: tree.root, environment: {}, resolveHost },
      ask: questions.ask,
      report: (line) => stderr.write(`  ${line}\n`),
      standardsApply: false,
    });
    return { answers, said };
  } finally {
    await questions.close();
  }
}

const byFlags = (flags: Record<string, unknown>, standardsApply = false): Promise<Answers> =>
  collectAnswers({
    flags,
    place: { workingDirectory: tree.root, environment: {}, resolveHost },
    ask: undefined,
    report: () => undefined,
    standardsApply,
  });

describe('at a terminal', () => {
  it('Enter takes the standard answers: a registry for this machine alone', async () => {
    const { answers, said } = await typed(['packages', '', '', '', '', '', '']);
    expect(answers).toEqual({
      sources: [{ prefix: 'dir', path: tree.path('packages') }],
      publicUrl: undefined,
      proxy: 'none',
      trustedProxies: [],
      tls: 'none',
      tlsCert: undefined,
      tlsKey: undefined,
      gitHosts: [],
      listen: '127.0.0.1:8080',
      systemd: undefined,
      data: tree.path('var'),
      proxyFile: undefined,
      archives: 'path',
    });
    expect(said).toContain('packages is a folder with 2 packages.');
  });

  it('an unusable answer is explained, and asked again', async () => {
    const { answers, said } = await typed([
      'nowhere',
      'empty',
      'cert.pem',
      'packages',
      '',
      'packages.example.org',
      'https://packages.example.org',
      'apache',
      'nginx',
      'unknown.host',
      '10.0.0.9',
      '',
      'git.corp, 10.2.0.0/16',
      '',
      '',
      'data',
      'nginx.conf',
      'full',
      'absolute',
    ]);
    expect(said).toContain(`There is no folder ${tree.path('nowhere')}.`);
    expect(said).toContain(`${tree.path('empty')} contains no package`);
    expect(said).toContain('cert.pem is a file.');
    expect(said).toContain('The address is "packages.example.org". Write one such as https://packages.example.org');
    expect(said).toContain('The reverse proxy is "apache"; allowed: none, nginx, caddy, haproxy.');
    expect(said).toContain('The form of archive addresses is "full"; allowed: path, absolute.');
    expect(said).toContain('"unknown.host" is neither an address nor a known host name.');
    expect(answers).toMatchObject({
      publicUrl: 'https://packages.example.org',
      proxy: 'nginx',
      trustedProxies: ['10.0.0.9'],
      tls: 'proxy',
      gitHosts: ['10.1.2.3', '10.2.0.0/16'],
      listen: '0.0.0.0:8080',
      data: tree.path('data'),
      proxyFile: tree.path('nginx.conf'),
      archives: 'absolute',
    });
  });

  it('a flag for a reverse proxy lets the address be asked again, with the reason', async () => {
    const flags = { source: ['packages'], proxy: 'nginx', proxyFile: 'nginx.conf' };
    const { answers, said } = await typed(['', 'https://packages.example.org', '', '', '', '', '', '', ''], flags);
    expect(said).toContain(
      '--nginx needs an address for clients. Write it, or stop with Ctrl+C and leave --nginx out.',
    );
    expect(answers).toMatchObject({ publicUrl: 'https://packages.example.org', proxy: 'nginx' });
    await expect(typed([''], { ...flags, publicUrl: 'none' })).rejects.toThrow('--nginx has no effect without');
  });

  it('a folder of git checkouts becomes one git source for each, and a folder of ZIPs an artifact source', async () => {
    const { answers, said } = await typed(['checkouts', 'zips', '', '', '', '', '', '']);
    expect(answers.sources).toEqual([
      { prefix: 'git', path: tree.path('checkouts/one') },
      { prefix: 'git', path: tree.path('checkouts/two') },
      { prefix: 'artifact', path: tree.path('zips') },
    ]);
    expect(said).toContain('checkouts has 2 git checkouts: the tags and branches of each become versions.');
  });

  it('asks nothing that a flag answers', async () => {
    const { said } = await typed(['', '', '', ''], { source: ['packages'], publicUrl: 'none' });
    expect(said).not.toMatch(/Source|Address for clients/);
  });

  it('the end of the input cancels', () => expect(typed(['packages'])).rejects.toThrow(QuestionsCancelled));
});

describe('without a terminal', () => {
  it('names the missing flags', () =>
    expect(byFlags({ proxy: 'none' })).rejects.toThrow(
      'these flags are missing: --source, --public-url, --tls. Give them, or --yes for the standard answers.',
    ));

  it('needs neither --proxy nor --tls for this machine alone', async () =>
    expect(await byFlags({ source: ['packages'], publicUrl: 'none' })).toMatchObject({ listen: '127.0.0.1:8080' }));

  it('--yes takes the standard answers, with the packages of this folder', async () =>
    expect(await byFlags({ publicUrl: 'https://packages.example.org' }, true)).toMatchObject({
      sources: [{ prefix: 'dir', path: tree.path('packages') }],
      proxy: 'nginx',
      trustedProxies: ['127.0.0.1'],
      tls: 'proxy',
      listen: '127.0.0.1:8080',
    }));

  it.each([
    [
      { source: ['packages', 'nowhere'], publicUrl: 'x', proxy: 'none', tls: 'none' },
      /--source: There is no folder .*\n--public-url: The address is "x"/,
    ],
    [
      { source: ['packages'], publicUrl: 'none', proxy: 'nginx' },
      /--proxy has no effect without an address for clients/,
    ],
    [
      { source: ['packages'], publicUrl: 'https://a.org', proxy: 'none', tls: 'none' },
      /--tls: Clients use https:\/\/a\.org, which needs TLS/,
    ],
    [
      { source: ['packages'], publicUrl: 'https://a.org', proxy: 'none', tls: 'own' },
      /--tls-cert has no standard answer/,
    ],
    [{ source: ['git://a.org/x.git'], publicUrl: 'none' }, /without encryption.*https:\/\/a\.org\/x\.git/],
    [{ source: ['packages'], publicUrl: 'none', data: 'packages' }, /--data: .*is a source/],
  ])('%j is refused with the reason', (flags, message) => expect(byFlags(flags)).rejects.toThrow(message));
});
