// Tests which host names the console answers: a name that another site points at this server must be unknown.

import { describe, expect, it } from 'vitest';
import { createAllowedHosts, hostNameOf } from '../../../../../proxy/console/request/allowed-hosts.ts';

describe('known hosts', () => {
  const isAllowed = createAllowedHosts(() => ['packages.example.org', '*.intern.example']);
  it.each([
    'localhost:8080',
    'shop.localhost',
    '127.0.0.1:8080',
    '192.0.2.7',
    '[::1]:8080',
    'packages.example.org',
    'Packages.Example.ORG:443',
    'packages.example.org.',
    'one.intern.example',
  ])('answers %s', (host) => expect(isAllowed(host)).toBe(true));

  it.each([
    undefined,
    '',
    'evil.example',
    'packages.example.org.evil.example',
    'two.one.intern.example',
    'intern.example',
    'localhost.evil.example',
    'packages.example.org@evil.example',
    'packages.example.org/',
    '127.0.0.1.evil.example',
  ])('refuses %j', (host) => expect(isAllowed(host)).toBe(false));
});

describe('the name in a Host header', () => {
  it.each([
    ['a.example:80', 'a.example'],
    ['[2001:db8::1]:80', '2001:db8::1'],
    ['a b', undefined],
  ])('%s', (host, name) => expect(hostNameOf(host)).toBe(name));
});
