// Tests a user at a terminal without auth.json: Composer asks for user name and password, and the token is the
// password.

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composerCommand, createProject, type Project } from '../util/composer.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks, toolPath } from '../util/tool.ts';
import { whoLibrary } from '../util/who-library.ts';

describe.skipIf(lacks('composer', 'php', 'script'))('Composer at a terminal', () => {
  const source = temporaryTree(below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')));
  let registry: Registry;

  beforeAll(async () => {
    registry = await startRegistry({ sources: [source.root] });
  });
  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  /** Types each answer once its question is shown. `script` gives Composer a terminal. */
  const update = async (
    project: Project,
    answers: readonly (readonly [question: string, answer: string])[],
  ): Promise<{ readonly exitCode: number; readonly output: string }> => {
    const environment = {
      COMPOSER_HOME: project.home,
      COMPOSER_CACHE_DIR: `${project.home}/cache`,
      COMPOSER_ALLOW_SUPERUSER: '1',
      COMPOSER_AUTH: '{}',
      SHELL: '/bin/sh',
    };
    const running = execa(
      toolPath('script'),
      [
        '--quiet',
        '--return',
        '--command',
        `${composerCommand()
          .map((word) => `'${word}'`)
          .join(' ')} update --no-ansi`,
        '/dev/null',
      ],
      { cwd: project.path, env: environment, all: true, reject: false, stdin: 'pipe', timeout: 60_000 },
    );
    const left = [...answers];
    let output = '';
    running.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [next] = left;
      if (next !== undefined && output.includes(next[0])) {
        left.shift();
        running.stdin.write(`${next[1]}\n`);
      }
    });
    const { exitCode } = await running;
    return { exitCode: exitCode ?? -1, output };
  };
  const wantsHello = (): Project =>
    createProject({ url: registry.url, composerJson: { require: { 'acme/hello': '^1.0' } } });

  it('scenario 29: asks for the token, installs, and does not store the token when told so', async () => {
    await using app = wantsHello();
    const { exitCode, output } = await update(app, [
      ['Username:', 'anyone'],
      ['Password:', registry.token],
      ['store credentials', 'n'],
    ]);
    expect(exitCode, output).toBe(0);
    expect(output).toContain('A token is required');
    expect([
      app.locked()['acme/hello']?.version,
      app.exists('vendor/acme/hello'),
      app.exists('auth.json'),
      app.read('composer.lock').includes(registry.token),
    ]).toEqual(['1.0.0', true, false, false]);
  });

  it('scenario 29: reports a wrong token as invalid', async () => {
    await using app = wantsHello();
    const { exitCode, output } = await update(app, [
      ['Username:', 'anyone'],
      ['Password:', 'wrong'],
    ]);
    expect(exitCode).not.toBe(0);
    expect(output).toContain('Invalid credentials (HTTP 401)');
    expect(output).toContain('This token is mistyped, expired or revoked');
    expect(app.exists('vendor/acme')).toBe(false);
  });
});
