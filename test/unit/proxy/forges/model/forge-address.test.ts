// Tests the addresses of forges: where the API is, and which addresses would receive a token.

import { describe, expect, it } from 'vitest';
import { forgeAddresses } from '../../../../../proxy/forges/model/forge-address.ts';
import { parseOwner, parseRepositoryPath, type OwnerName } from '../../../../../proxy/forges/model/forge-name.ts';

describe('the address of a forge', () => {
  it.each([
    ['github', undefined, 'https://api.github.com', 'https://github.com'],
    ['github', 'https://github.com/', 'https://api.github.com', 'https://github.com'],
    ['github', 'https://ghe.example.org', 'https://ghe.example.org/api/v3', 'https://ghe.example.org'],
    ['github', 'https://acme.ghe.com', 'https://api.acme.ghe.com', 'https://acme.ghe.com'],
    ['gitlab', undefined, 'https://gitlab.com/api/v4', 'https://gitlab.com'],
    ['gitlab', 'https://example.org/git/', 'https://example.org/git/api/v4', 'https://example.org/git'],
    ['gitea', 'https://codeberg.org', 'https://codeberg.org/api/v1', 'https://codeberg.org'],
    ['bitbucket', undefined, 'https://api.bitbucket.org/2.0', 'https://bitbucket.org'],
  ] as const)('%s at %s has its API at %s', (forge, url, api, web) => {
    expect(forgeAddresses(forge, url)).toEqual({ api, web });
  });

  it.each([
    ['gitea', undefined, 'Name yours'],
    ['gitlab', 'http://git.example.org', 'must start with https://'],
    ['gitlab', 'ftp://git.example.org', 'must start with https://'],
    ['gitlab', 'https://me:secret@git.example.org', 'contains credentials'],
    ['gitlab', 'https://git.example.org/?a=b', 'no query'],
    ['gitlab', 'git.example.org', 'invalid host name'],
  ] as const)('%s at %s is refused', (forge, url, words) => {
    expect(forgeAddresses(forge, url)).toEqual({ refusal: expect.stringContaining(words) as string });
  });
});

describe('a name of the forge', () => {
  it('has several parts on GitLab only', () => {
    expect(parseOwner('gitlab', 'acme/php')).toBe('acme/php');
    expect(parseOwner('github', 'acme/php')).toBeUndefined();
  });

  it.each(['', '..', 'acme/..', 'acme/', '/acme', 'acme//tool', 'acme/a b', 'acme/a%2fb', 'acme/a?b', 'acme/a#b', 'é'])(
    '%j becomes no part of an address',
    (text) => {
      expect(parseOwner('gitlab', text)).toBeUndefined();
      expect(parseRepositoryPath(`acme/${text}`, 'acme' as OwnerName)).toBeUndefined();
    },
  );

  it('belongs to the owner, in any case', () => {
    expect(parseRepositoryPath('Acme/tool', 'acme' as OwnerName)).toBe('Acme/tool');
    expect(parseRepositoryPath('acme-2/tool', 'acme' as OwnerName)).toBeUndefined();
    expect(parseRepositoryPath(7, 'acme' as OwnerName)).toBeUndefined();
  });
});
