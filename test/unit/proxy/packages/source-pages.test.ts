// Tests the addresses of pages that forges have about a version.

import { describe, expect, it } from 'vitest';
import { commitLink, filesLink } from '../../../../proxy/packages/source-pages.ts';
import { sampleVersion } from '../../../util/sample-version.ts';

const commit = 'a'.repeat(40);

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

it('the files of a version have pages at its commit', () => {
  const version = sampleVersion('1.0.0');
  expect(filesLink(version, 'git@github.com:acme/hello.git')).toBe(`https://github.com/acme/hello/blob/${commit}/`);
  expect(filesLink(version, 'https://codeberg.org/acme/hello')).toBe(
    `https://codeberg.org/acme/hello/src/commit/${commit}/`,
  );
  expect(filesLink(version, 'https://git.example.org/acme/hello')).toBeUndefined();
});
