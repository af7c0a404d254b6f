// Plays the README and docs/get-started.md as a newcomer does: their lines are pasted into a terminal, print the output
// that the page shows, and end with the real Composer installing the newcomer's own package.
//
// Not run as written:
// - `npm ci` and `npm run compile`: both are done; test/e2e/quickstart.test.ts plays `npm start`;
// - `libretto serve` listens on a free port, so that tests do not share one. Lines that name 8080 get that port;
// - projects ask packagist.org nothing, because there is no internet.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { composerCommand, composerEnvironment } from '../util/composer.ts';
import { blocksOf } from '../util/page-blocks.ts';
import { startCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const root = new URL('../..', import.meta.url).pathname;

interface Pasted {
  readonly lines: string;
  /** the output that the page shows; empty where the page shows none */
  readonly shown: string;
}

const pasted = (page: string, text: string): Pasted => {
  const blocks = blocksOf(page);
  const at = blocks.findIndex((block) => block.language === 'sh' && block.text.includes(text));
  if (at === -1) throw new Error(`${page} has no lines with ${text}`);
  const next = blocks[at + 1];
  return { lines: blocks[at]?.text ?? '', shown: next?.language === '' ? next.text : '' };
};

/** Durations differ from run to run. */
const withoutTimes = (text: string): string => text.replaceAll(/\d+\.\d s/g, 'N s').trim();

/** A terminal of this person, in a clone whose path has a space and an apostrophe. `alias`: its first line. */
function terminal(home: TemporaryFolder, alias: string): (...all: readonly Pasted[]) => Promise<string> {
  const client = `composer() { ${composerCommand()
    .map((word) => `'${word}'`)
    .join(' ')} "$@"; }`;
  const clone = home.at("ada's clone");
  symlinkSync(root, clone);
  return async (...all) => {
    const result = await execa('sh', {
      cwd: root,
      env: composerEnvironment(home.path),
      extendEnv: false,
      reject: false,
      all: true,
      input: ['set -e', client, `cd "${clone}"`, alias, ...all.map(({ lines }) => lines)].join('\n'),
    });
    expect(result.exitCode, result.all).toBe(0);
    for (const { shown } of all) expect(withoutTimes(result.all)).toContain(withoutTimes(shown));
    return result.all;
  };
}

const readToken = (output: string): string => /lib_r_\w+/.exec(output)?.[0] ?? 'none';
const typed = (lines: string): Pasted => ({ lines, shown: '' });

/** Serves the registry of ~/registry while `work` runs. */
async function serving(home: TemporaryFolder, work: (address: string) => Promise<void>): Promise<void> {
  const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: home.at('registry') });
  try {
    await work((await server.shows(/127\.0\.0\.1:[1-9]\d*/))[0]);
  } finally {
    server.signal('SIGTERM');
    await server.ended;
  }
}

describe.skipIf(lacks('composer', 'php', 'git'))('a newcomer', () => {
  it('publishes and installs the own package with the lines of the README', async () => {
    await using home = temporaryFolder('readme');
    const page = 'README.md';
    const alias = /^alias libretto=.*$/m.exec(pasted(page, 'alias libretto=').lines)?.[0] ?? 'false';
    const paste = terminal(home, alias);
    const project = home.at('package');
    mkdirSync(project);
    writeFileSync(home.at('package/composer.json'), JSON.stringify({ name: 'your/package' }));
    await paste(
      typed(`cd ${project} && git init -qb main && git add .
        git -c user.name=Me -c user.email=me@example.org commit -qm First && git tag 1.0.0`),
    );

    const { lines } = pasted(page, 'libretto build git:');
    expect(lines).toMatch(/\nlibretto serve\n$/);
    const made = lines.replace(/^alias .*$/m, '').replace('libretto serve\n', '');
    const token = readToken(await paste(typed(made.replace('/path/to/your/package', project))));

    await serving(home, async (address) => {
      const install = pasted(page, 'composer require').lines.replaceAll('127.0.0.1:8080', address);
      await paste(
        typed(`mkdir ~/app && cd ~/app && composer init -n --name=me/app
          composer config repositories.packagist.org false
          ${install.replace(/\bTOKEN\b/, token)}
          composer show your/package`),
      );
      const customer = await paste(typed('cd ~/registry'), pasted(page, '"Customer 17"'));
      expect(readToken(customer)).not.toBe(token);
    });
  });

  it('publishes, installs and updates a package with the lines of the first page', async () => {
    await using home = temporaryFolder('get-started');
    const page = 'docs/get-started.md';
    const paste = terminal(home, pasted(page, 'alias libretto=').lines.replace('npm ci\nnpm run compile\n', ''));
    const output = await paste(
      pasted(page, 'git init'),
      pasted(page, 'libretto build ./greeter'),
      pasted(page, 'libretto token create'),
    );
    const token = readToken(output);

    expect(pasted(page, 'libretto serve').lines).toBe('libretto serve\n');
    await serving(home, async (address) => {
      const { lines } = pasted(page, 'composer require');
      const install = lines.replace('lib_r_…', token).replaceAll('127.0.0.1:8080', address);
      await paste(typed(install), pasted(page, 'php -r'));
      await paste(pasted(page, 'git tag 1.1.0'), pasted(page, 'composer update'), pasted(page, 'libretto verify'));
    });
  });
});
