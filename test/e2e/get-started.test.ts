// Plays docs/get-started.md as written: its commands publish and install a package, and they print the output that the
// page shows.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { composerCommand, composerEnvironment } from '../util/composer.ts';
import { startCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const root = new URL('../..', import.meta.url).pathname;
const page = readFileSync(join(root, 'docs/get-started.md'), 'utf8');

interface Block {
  /** lines to paste */
  readonly lines: string;
  /** the output that the page shows; empty where the page shows none */
  readonly shown: string;
}

const blocks: readonly Block[] = [...page.matchAll(/^```sh\n([^`]+)```\n(?:\n```\n([^`]+)```\n)?/gm)].map(
  ([, lines = '', shown = '']) => ({ lines, shown }),
);

const blockWith = (text: string): Block => {
  const found = blocks.find(({ lines }) => lines.includes(text));
  if (found === undefined) throw new Error(`docs/get-started.md has no lines with ${text}`);
  return found;
};

/** Durations differ from run to run. */
const withoutTimes = (text: string): string => text.replaceAll(/\d+\.\d s/g, 'N s').trim();

describe.skipIf(lacks('composer', 'php', 'git'))('docs/get-started.md', () => {
  it('publishes, installs and updates a package when its commands are pasted in order', async () => {
    await using home = temporaryFolder('get-started');
    const client = `composer() { ${composerCommand()
      .map((word) => `'${word}'`)
      .join(' ')} "$@"; }`;
    const alias = blockWith('alias libretto=').lines.replace('npm ci\nnpm run compile\n', '');

    /** In one terminal, as a reader does. */
    const paste = async (...pasted: readonly Block[]): Promise<string> => {
      const { exitCode, all } = await execa('sh', {
        cwd: root,
        env: composerEnvironment(home.path),
        extendEnv: false,
        reject: false,
        all: true,
        input: ['set -e', client, alias, ...pasted.map(({ lines }) => lines)].join('\n'),
      });
      expect(exitCode, all).toBe(0);
      for (const { shown } of pasted) expect(withoutTimes(all)).toContain(withoutTimes(shown));
      return all;
    };

    const output = await paste(
      blockWith('git init'),
      blockWith('libretto build ./greeter'),
      blockWith('libretto token create'),
    );
    const token = /lib_r_\w+/.exec(output)?.[0] ?? 'none';

    expect(blockWith('libretto serve').lines).toBe('libretto serve\n');
    const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: home.at('registry') });
    try {
      const address = (await server.shows(/127\.0\.0\.1:[1-9]\d*/))[0];
      const { lines } = blockWith('composer require');
      const install = lines.replace('lib_r_…', token).replaceAll('127.0.0.1:8080', address);
      await paste({ lines: install, shown: '' }, blockWith('php -r'));
      await paste(blockWith('git tag 1.1.0'), blockWith('composer update'), blockWith('libretto verify'));
    } finally {
      server.signal('SIGTERM');
      await server.ended;
    }
  });
});
