// Tests the messages for failures of git.

import { describe, expect, it } from 'vitest';

import { explainGit, scrub } from '../../../../build/sources/git-failure.ts';

describe('explainGit', () => {
  it('picks the line that says it and adds what to do', () => {
    const said = explainGit(
      "Cloning…\nwarning: something\nfatal: could not read Username for 'https://git.example.org': terminal prompts disabled\n",
    );
    expect(said).toMatch(
      /^could not read Username for 'https:\/\/git\.example\.org': terminal prompts disabled\. .*credential helper/,
    );
  });

  it('finds advice in another line than the one it shows', () => {
    expect(
      explainGit('git@host: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n'),
    ).toMatch(/^Could not read from remote repository\. The ssh key/);
  });

  it('says so when git said nothing', () => {
    expect(explainGit('\n')).toBe('git gave no reason');
  });
});

describe('scrub', () => {
  it('leaves no credential of a URL and no control character', () => {
    expect(scrub("fatal: unable to access 'https://user:p@ss@git.example.org/x.git/': \u001b[31m403")).toBe(
      "fatal: unable to access 'https://git.example.org/x.git/':  [31m403",
    );
    expect(scrub("fatal: unable to access 'https://us er:p@git.example.org/x.git?token=s3cret': 403")).toBe(
      "fatal: unable to access 'https://git.example.org/x.git?***': 403",
    );
  });
});
