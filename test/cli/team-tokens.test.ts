// Commands about teams say what they leave as it is: the tokens that people made before.

import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const folder = temporaryFolder('team-tokens');
afterAll(() => folder.remove());

const cli = (...args: readonly string[]) => runCli([...args, '--data', folder.at('data')], { cwd: folder.path });
const stay = 'Tokens that people made for others still see what they saw';

describe('a token from before the first team', () => {
  it('keeps what it sees, and the commands about teams say so with the command that shows it', async () => {
    const made = await cli('token', 'create', '--description', 'a customer');
    expect(made.exitCode, made.stderr).toBe(0);
    const first = await cli('team', 'create', 'Shop', '--package', 'acme/*');
    expect(first.stderr).toContain('This is the first team');
    expect(first.stderr).toContain(stay);
    expect(first.stderr).toContain('`libretto token list --data');
    expect((await cli('team', 'create', 'Tools', '--package', 'tools/*')).stderr).not.toContain(stay);
    const asked = await cli('team', 'remove', 'Shop');
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining(stay)]);
    const removed = await cli('team', 'remove', 'Shop', '--yes');
    expect([removed.exitCode, removed.stdout]).toEqual([0, expect.stringContaining(stay)]);
    expect((await cli('token', 'list')).stdout).toContain('a customer');
  });
});
