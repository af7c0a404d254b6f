// Tests a build with a low limit on open files (row 89): wherever it meets the limit, it reports that or excludes the
// unread part. It never crashes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execa } from 'execa';
import { binary, cleanEnvironment } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

describe.skipIf(lacks('git'))('a build of a git repository', () => {
  const folder = temporaryFolder('descriptors');
  beforeAll(() => {
    const repository = folder.at('repository');
    mkdirSync(repository);
    const git = (...args: readonly string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: repository,
        stdio: 'pipe',
      });
    git('init', '-q');
    writeFileSync(`${repository}/composer.json`, '{"name": "acme/lib"}');
    writeFileSync(`${repository}/.gitattributes`, '*.txt text eol=crlf\n'); // git archive converts such files
    writeFileSync(`${repository}/a.txt`, 'one\r\n');
    git('add', '-A');
    git('commit', '-qm', 'one');
    git('tag', '1.0.0');
  });
  afterAll(() => folder.remove());

  it.each(Array.from({ length: 10 }, (_, index) => 22 + index))(
    'a build with %i descriptors ends without an internal error',
    async (most) => {
      const data = folder.at(`data-${most}`);
      const { stderr } = await execa(
        'sh',
        [
          '-c',
          `ulimit -n ${most}; exec "$0" "$@"`,
          process.execPath,
          binary,
          'build',
          folder.at('repository'),
          '--data',
          data,
        ],
        { cwd: folder.path, env: cleanEnvironment(), extendEnv: false, reject: false, timeout: 150_000 },
      );
      expect(stderr).not.toMatch(/Cannot read|is not a function/);
      rmSync(data, { recursive: true, force: true });
    },
  );
});
