// Records `--help` of every command, and tests that the recordings cover every command with a success and an error.

import { afterAll, expect, it } from 'vitest';
import { allRecordings, expectRecorded } from './recorder/recording.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

/** The commands that a help text lists. */
function childrenIn(help: string): readonly string[] {
  let heading = '';
  return help.split('\n').flatMap((line) => {
    heading = /^(\S.*):$/.exec(line)?.[1] ?? (line === '' ? '' : heading);
    const name = /^ {2}([a-z][a-z-]*)/.exec(line)?.[1];
    return name === undefined || name === 'help' || /^(?:|Arguments|Examples?)$/.test(heading) ? [] : [name];
  });
}

it('every command is in the recordings, with its help, a success and an error', async () => {
  const transcript = openTranscript(workspace);
  const leaves: string[] = [];
  const visit = async (path: readonly string[]): Promise<void> => {
    const children = childrenIn((await transcript.run([...path, '--help'])).stdout);
    if (children.length === 0) leaves.push(path.join(' '));
    for (const child of children) await visit([...path, child]);
  };
  await visit([]);
  expectRecorded('commands/help', transcript.text());
  const runs = allRecordings().flatMap((text) =>
    [...text.matchAll(/^\$ libretto (.*)\nexit (\d+)$/gm)].map(([, line = '', code]) => ({
      line,
      succeeded: code === '0',
    })),
  );
  const lacks = (succeeded: boolean) =>
    leaves.filter(
      (leaf) =>
        !runs.some(
          (run) => run.succeeded === succeeded && !run.line.endsWith('--help') && `${run.line} `.startsWith(`${leaf} `),
        ),
    );
  expect({ withoutSuccess: lacks(true), withoutError: lacks(false) }).toEqual({ withoutSuccess: [], withoutError: [] });
});
