// Tests what `token create` says about the use of a token.

import { describe, expect, it } from 'vitest';

import { tokenUseLines } from '../../../../cli/text/token-text.ts';

const lines = (more: object = {}) =>
  tokenUseLines({
    token: { kind: 'read', limit: 1000 },
    secret: 'TOKEN',
    host: 'packages.example.org',
    url: 'https://packages.example.org',
    remark: undefined,
    invocation: 'libretto',
    ...more,
  }).join('\n');

describe('the use of a token', () => {
  it('is the command of Composer and the content of auth.json, for the host of the registry', () => {
    expect(lines()).toContain('  composer config -n repositories.libretto composer https://packages.example.org\n');
    expect(lines()).toContain('  composer config --global --auth bearer.packages.example.org TOKEN\n');
    expect(lines()).not.toContain('secure-http');
    expect(lines()).toContain('  {"bearer":{"packages.example.org":"TOKEN"}}\n');
    expect(lines()).not.toContain('LIBRETTO_TOKEN');
  });

  it('names the port, and quotes an address that a shell would read as a pattern', () => {
    expect(lines({ host: '127.0.0.1:8080' })).toContain('bearer.127.0.0.1:8080 TOKEN');
    expect(lines({ host: '[::1]:8080' })).toContain("'bearer.[::1]:8080' TOKEN");
  });

  it('has a placeholder for an unknown host, and the reason', () => {
    expect(lines({ host: 'HOST', url: 'https://HOST', remark: 'HOST stands for the host.' })).toMatch(
      /bearer\.HOST TOKEN\n[^]*HOST stands for the host\./,
    );
  });

  it('shows how to publish with a write token', () => {
    expect(lines({ token: { kind: 'write', limit: 0 }, invocation: 'node main.js' })).toContain(
      '  LIBRETTO_TOKEN=TOKEN node main.js publish . --url https://packages.example.org\n',
    );
  });
});
