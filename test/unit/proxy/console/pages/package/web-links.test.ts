// Tests which addresses of a package become links.

import { describe, expect, it } from 'vitest';
import { commitLink, webAddress } from '../../../../../../proxy/console/pages/package/web-links.ts';
import { sampleVersion } from '../../../../../util/sample-version.ts';

const commit = 'a'.repeat(40);

describe('webAddress', () => {
  it('is an address of http or https without a password', () => {
    expect(webAddress('https://example.org/hello?a=1')).toBe('https://example.org/hello?a=1');
    const others = [
      'javascript:alert(1)',
      ' https://example.org',
      'https://a:b@example.org',
      'https://x/"onload="y',
      '//x',
    ];
    for (const other of [...others, 'https://', 1, null, undefined]) expect(webAddress(other)).toBeUndefined();
  });
});

describe('commitLink', () => {
  it('leads to the commit on a known forge, from every form of the address', () => {
    const version = sampleVersion('1.0.0');
    for (const location of [
      'https://github.com/acme/hello.git',
      'git@github.com:acme/hello.git',
      'ssh://git@github.com/acme/hello',
    ])
      expect(commitLink(version, location)).toBe(`https://github.com/acme/hello/commit/${commit}`);
    expect(commitLink(version, 'https://gitlab.com/acme/sub/hello.git')).toBe(
      `https://gitlab.com/acme/sub/hello/-/commit/${commit}`,
    );
  });

  it('prefers the address that clients get', () => {
    const version = sampleVersion('1.0.0', { source: { type: 'git', url: 'https://codeberg.org/acme/hello' } });
    expect(commitLink(version, '/srv/hello')).toBe(`https://codeberg.org/acme/hello/commit/${commit}`);
  });

  it('is absent for an unknown host, a folder, an odd path, and a reference that is no commit', () => {
    const version = sampleVersion('1.0.0');
    const others = [
      'https://git.example.org/acme/hello',
      '/srv/hello',
      'https://github.com/../x',
      'javascript:alert(1)',
    ];
    for (const location of [...others, undefined]) expect(commitLink(version, location)).toBeUndefined();
    expect(commitLink(sampleVersion('1.0.0', {}, 'f'.repeat(64)), 'https://github.com/acme/hello')).toBeUndefined();
  });
});
