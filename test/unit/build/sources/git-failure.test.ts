// Tests the messages about failures of git.

import { describe, expect, it } from 'vitest';

import { explainGit, scrubGitOutput } from '../../../../build/sources/git-failure.ts';

describe('explainGit', () => {
  it('the message has the decisive line of git and adds advice', () => {
    const message = explainGit(
      "Cloning…\nwarning: something\nfatal: could not read Username for 'https://git.example.org': terminal prompts disabled\n",
    );
    expect(message).toMatch(
      /^could not read Username for 'https:\/\/git\.example\.org': terminal prompts disabled\. .*credential helper/,
    );
  });

  it('the advice may come from another line than the shown one', () => {
    expect(
      explainGit('git@host: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n'),
    ).toMatch(/^Could not read from remote repository\. The ssh key/);
  });

  it('the message is a sentence, to which more can be added', () => {
    expect(explainGit('\n')).toBe('git gave no reason.');
    expect(explainGit('fatal: dumb http transport does not support shallow capabilities\n')).toBe(
      'dumb http transport does not support shallow capabilities.',
    );
  });
});

describe('scrub', () => {
  it('scrub removes credentials of URLs and control characters', () => {
    expect(scrubGitOutput("fatal: unable to access 'https://user:p@ss@git.example.org/x.git/': \u001b[31m403")).toBe(
      "fatal: unable to access 'https://git.example.org/x.git/':  [31m403",
    );
    expect(scrubGitOutput("fatal: unable to access 'https://us er:p@git.example.org/x.git?token=s3cret': 403")).toBe(
      "fatal: unable to access 'https://git.example.org/x.git?***': 403",
    );
  });
});
