// Tests that all spellings of a clone address are one, and that different repositories stay apart.

import { describe, expect, it } from 'vitest';
import { normalizeCloneUrl } from '../../../../proxy/hooks/clone-url.ts';

const same: Readonly<Record<string, readonly string[]>> = {
  'github.com/acme/tool': [
    'https://github.com/acme/tool',
    'https://github.com/acme/tool.git',
    'https://github.com/acme/tool.git/',
    'https://github.com/acme/tool/',
    'https://github.com//acme//tool',
    'HTTPS://GitHub.com/Acme/Tool.GIT',
    'https://github.com:443/acme/tool',
    'http://github.com:80/acme/tool',
    'https://x-access-token:secret@github.com/acme/tool',
    'https://github.com/acme/tool?a=b#c',
    'https://github.com./acme/tool',
    'ssh://git@github.com/acme/tool.git',
    'ssh://git@github.com:22/acme/tool.git',
    'ssh://git@ssh.github.com:443/acme/tool.git',
    'git://github.com:9418/acme/tool.git',
    'git@github.com:acme/tool.git',
    'github.com:acme/tool',
    'git@github.com:/acme/tool.git',
  ],
  'git.example.org:7999/acme/tool': ['ssh://git@git.example.org:7999/ACME/tool.git'],
  'git.example.org:8443/acme/tool': [
    'https://git.example.org:8443/acme/tool.git',
    'https://u@Git.Example.org:8443/acme/tool/',
  ],
  'git.example.org:443/acme/tool': ['http://git.example.org:443/acme/tool'],
  'gitlab.example.org/acme/php/tool': [
    'https://gitlab.example.org/acme/php/tool.git',
    'git@gitlab.example.org:acme/php/tool.git',
  ],
  'gitlab.com/acme/tool': ['ssh://git@altssh.gitlab.com:443/acme/tool.git', 'https://gitlab.com/acme/tool'],
  '[2001:db8::1]/acme/tool': ['https://[2001:DB8::1]/acme/tool', 'git@[2001:db8::1]:acme/tool'],
  'xn--mnchen-3ya.example/acme/tool': ['https://münchen.example/acme/tool'],
  'dev.azure.com/acme/php team/_git/tool box': [
    'https://acme@dev.azure.com/acme/PHP%20Team/_git/Tool%20Box',
    'https://acme.visualstudio.com/PHP%20Team/_git/Tool%20Box',
    'https://acme.visualstudio.com/DefaultCollection/PHP%20Team/_git/Tool%20Box',
    'https://dev.azure.com/acme/DefaultCollection/PHP%20Team/_git/Tool%20Box',
    'git@ssh.dev.azure.com:v3/acme/PHP%20Team/Tool%20Box',
    'acme@vs-ssh.visualstudio.com:v3/acme/PHP%20Team/Tool%20Box',
    'ssh://git@ssh.dev.azure.com/v3/acme/PHP%20Team/Tool%20Box',
  ],
  'dev.azure.com/acme/tool/_git/tool': [
    'https://dev.azure.com/acme/_git/tool',
    'https://acme.visualstudio.com/_git/tool',
    'https://acme.visualstudio.com/DefaultCollection/_git/tool',
    'https://dev.azure.com/acme/DefaultCollection/_git/tool',
    'https://dev.azure.com/acme/tool/_git/tool',
  ],
  'git.example.org/~mira/tool': ['https://git.example.org/~mira/tool.git', 'git@git.example.org:~mira/tool'],
  'git.example.org/a%/tool': ['https://git.example.org/a%/tool'],
};

describe('normalizeCloneUrl', () => {
  it.each(Object.entries(same).flatMap(([one, spellings]) => spellings.map((spelling) => [spelling, one] as const)))(
    'reads %s as %s',
    (spelling, one) => {
      expect(normalizeCloneUrl(spelling)).toBe(one);
    },
  );

  it('keeps repositories apart', () => {
    const different = [
      'https://github.com/acme/tool',
      'https://github.com/acme/tools',
      'https://github.com/acme/tool.github',
      'https://github.com/acme',
      'https://git.example.org/acme/tool',
      'https://git.example.org:8443/acme/tool',
      'https://github.com.example.org/acme/tool',
    ];
    expect(new Set(different.map(normalizeCloneUrl)).size).toBe(different.length);
  });

  it.each([
    '',
    'acme/tool',
    '/srv/git/tool.git',
    'file:///srv/git/tool.git',
    'https://',
    'https://github.com',
    'https://github.com/',
    'https://github.com/.git',
    'javascript://github.com/acme/tool',
    'git@github.com:',
    'https://git hub.com/acme/tool',
    `https://github.com/${'a'.repeat(3000)}`,
  ])('is undefined for %j', (text) => {
    expect(normalizeCloneUrl(text)).toBeUndefined();
  });

  it('keeps its answers after many calls', () => {
    for (let call = 0; call < 20_000; call += 1) normalizeCloneUrl(`https://git.example.org/acme/tool-${call % 7}`);
    expect(normalizeCloneUrl('https://münchen.example/acme/tool')).toBe('xn--mnchen-3ya.example/acme/tool');
  });
});
