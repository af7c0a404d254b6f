// Tests the builder's process: its output is returned without secrets, and it ends with all its child processes.

import { describe, expect, it } from 'vitest';
import { createChildBuild, scrub } from '../../../../proxy/sync/child-build.ts';

const running = (script: string, graceMs = 2000) =>
  createChildBuild({
    program: ['/bin/sh', '-c', script, 'sh'],
    environment: { PATH: process.env['PATH'] },
    workingDirectory: '/',
    flags: ['--data', '/srv'],
    graceMs,
  });

describe('a builder in a process of its own', () => {
  it("gets the command, the flags and --json, and nothing of this process's environment", async () => {
    process.env['LIBRETTO_TEST_LEAK'] = 'here';
    const run = await running(`printf '{"args": "%s", "leak": "%s"}' "$*" "$LIBRETTO_TEST_LEAK"; exit 1`).run([
      'repository',
      'withdraw',
    ]);
    delete process.env['LIBRETTO_TEST_LEAK'];
    expect(run).toEqual({
      exitCode: 1,
      report: { args: 'repository withdraw --data /srv --json', leak: '' },
      messages: '',
    });
  });

  it('returns the last part of its messages, without secrets', async () => {
    const { exitCode, report, messages } = await running(
      'seq 1 9000 >&2; echo "cloning https://me:hunter2@host/x?token=hunter3" >&2; echo nothing; exit 75',
    ).run([]);
    expect([exitCode, report]).toEqual([75, undefined]);
    expect(messages).toMatch(/9000\ncloning https:\/\/host\/x\?\*\*\*$/);
    expect(messages.length).toBeLessThan(17_000);
  });

  it('ends with all its child processes, at once when it obeys the signal and later when it does not', async () => {
    for (const trap of ['', "trap '' TERM;"]) {
      const marker = `9${process.pid}${trap.length}`;
      const stop = new AbortController();
      const ended = running(`${trap} sleep ${marker} & sleep ${marker}`, 200).run([], stop.signal);
      setTimeout(() => stop.abort(), 200);
      expect((await ended).report).toBeUndefined();
      const after = await running(`printf '{"left": %s}' "$(pgrep -fc 'sleep ${marker}$')"`).run([]);
      expect(after.report).toEqual({ left: 0 });
    }
  });

  it('is not started for a caller that no longer waits, and a failed start is reported', async () => {
    expect(await running('exit 0').run([], AbortSignal.abort())).toMatchObject({ exitCode: -1, report: undefined });
    const missing = createChildBuild({ program: ['/nowhere/node'], environment: {}, workingDirectory: '/', flags: [] });
    expect(await missing.run([])).toMatchObject({
      exitCode: -1,
      report: undefined,
      messages: expect.stringContaining('could not be started') as string,
    });
  });

  it('returns text with line ends and no other control characters', () =>
    expect(scrub('one\u001b[2J\r\ntwo')).toBe('one [2J \ntwo'));
});
