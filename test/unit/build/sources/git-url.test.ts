// Tests the URLs that git sources may have.

import { describe, expect, it } from 'vitest';

import { localPathOf, parseGitUrl, parseGitRemote } from '../../../../build/sources/git-url.ts';

describe('parseGitUrl', () => {
  it.each([
    ['https://git.example.org/team/lib.git', 'https:ssh'],
    ['https://git.example.org:8443/team/lib', 'https:ssh'],
    ['ssh://git@git.example.org:2222/team/lib.git', 'https:ssh'],
    ['git@git.example.org:team/lib.git', 'https:ssh'],
    ['git.example.org:/srv/lib.git', 'https:ssh'],
    ['alias:group/repo.git', 'https:ssh'],
    ['alias:group/repo@2.git', 'https:ssh'],
    ['git@[2001:db8::1]:group/repo.git', 'https:ssh'],
    ['[2001:db8::1]:group/repo.git', 'https:ssh'],
    ['[git@git.example.org:2222]:group/repo.git', 'https:ssh'],
    ['http://127.0.0.1:8080/lib.git', 'http:https:ssh'],
    ['http://localhost/lib.git', 'http:https:ssh'],
    ['http://[::1]:81/lib.git', 'http:https:ssh'],
  ])('the URL %s is accepted', (url, protocols) => {
    expect(parseGitUrl(url)).toEqual({ url, protocols });
  });

  it.each([
    '--upload-pack=touch /tmp/x',
    '-oProxyCommand=x:y',
    'ssh://-oProxyCommand=x/lib.git',
    'user@-oProxyCommand=x:lib.git',
    'git@[-oProxyCommand=x]:lib.git',
    '[git@git.example.org:99999]:lib.git',
    'git@[2001:db8::g]:lib.git',
    'alias:-oProxyCommand=x',
    'alias::lib.git',
    'https:/git.example.org/lib.git',
    'ssh:git.example.org/lib.git',
    'ext::sh -c id',
    'file:///srv/lib.git',
    'git://git.example.org/lib.git',
    'ftp://git.example.org/lib.git',
    'https://git.example.org/lib.git?private_token=s3cret',
    'git@git.example.org:lib.git?private_token=s3cret',
    'https://git.example.org/a b',
    'https://git.example.org/a\nb',
    'http://git.example.org/lib.git',
    'http://127.0.0.1.example.org/lib.git',
    'http://127.0.0.1@example.org/lib.git',
    '',
  ])('the URL %j is refused', (url) => {
    expect(parseGitUrl(url)).toHaveProperty('refusal');
  });

  it.each(['git@git\u200b.example.org:lib.git', 'gi\u202et@git.example.org:lib.git', 'git@git.example.org:lib\u00ad'])(
    'the invisible character in %j is named',
    (url) => expect(parseGitUrl(url)).toHaveProperty('refusal', expect.stringContaining('an invisible character')),
  );

  it('git:// is refused with the addresses that are safe', () => {
    expect(parseGitUrl('git://git.example.org/lib.git')).toEqual({
      refusal:
        'The URL git://git.example.org/lib.git would be fetched without encryption, and nothing would check the server. ' +
        'Use https://git.example.org/lib.git or ssh://git@git.example.org/lib.git.',
    });
  });

  it.each([
    'https://user:s3cret@git.example.org/lib.git',
    'https://s3cret@git.example.org/lib.git',
    'https://a@s3cret@git.example.org/lib.git',
    'ssh://git:s3cret@git.example.org/lib.git',
    'git:s3cret@git.example.org:lib.git',
    'git:s3/cret@git.example.org:lib.git',
    'https://user:s3 cret@git.example.org/lib.git',
  ])('credentials are refused and not repeated: %s', (url) => {
    const result = parseGitUrl(url);
    expect(result).toHaveProperty('refusal', expect.stringContaining('credential'));
    expect(JSON.stringify(result)).not.toMatch(/s3[ /]?cret/);
  });

  it.each([
    'https://git.example.org/lib.git?token=s3cret',
    'https://git.example.org/lib.git#s3cret',
    'git@git.example.org:lib.git?token=s3cret',
    'git+ssh://user:s3cret@git.example.org/x',
    'https://user:s3/cret@git.example.org/x',
    'https://user:s3?cret@git.example.org/x',
  ])('a URL that is refused for another reason shows no secret: %s', (url) =>
    expect(JSON.stringify(parseGitUrl(url))).toMatch(/^\{"refusal":(?!.*(?:s3|cret))/),
  );
});

describe('localPathOf', () => {
  it.each([
    ['../lib', '../lib'],
    ['./alias:group/repo.git', './alias:group/repo.git'],
    ['there:group/repo.git', 'there:group/repo.git'],
    ['file:///srv/lib.git', '/srv/lib.git'],
    ['alias:group/repo.git', undefined],
    ['git@[2001:db8::1]:group/repo.git', undefined],
    ['https://git.example.org/lib.git', undefined],
  ])('of %s is %s', (text, path) => expect(localPathOf(text, (name) => name === 'there:group/repo.git')).toBe(path));
});

describe('remoteOf', () => {
  it.each([
    ['https://Git.Example.org./x', { scheme: 'https', host: 'git.example.org', port: 443 }],
    ['https://[::1]:8443/x', { scheme: 'https', host: '::1', port: 8443 }],
    ['https://2130706433/x', { scheme: 'https', host: '127.0.0.1', port: 443 }],
    ['ssh://git@host.example:2222/x', { scheme: 'ssh', host: 'host.example', port: 2222 }],
    ['git@[2001:db8::1]:team/x', { scheme: 'ssh', host: '2001:db8::1', port: 22 }],
    ['[git@host.example:2222]:team/x', { scheme: 'ssh', host: 'host.example', port: 2222 }],
    ['git@host.example:team/x', { scheme: 'ssh', host: 'host.example', port: 22 }],
  ])('remoteOf finds scheme, host and port of %s', (url, remote) => expect(parseGitRemote(url)).toEqual(remote));
});
