// Tests which hosts count as this machine: credentials may go there without encryption.

import { describe, expect, it } from 'vitest';

import { isLoopback } from '../../../../build/contract/loopback.ts';

describe('a host', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('%s is this machine', (host) =>
    expect(isLoopback(host)).toBe(true),
  );

  it.each([
    '127.0.0.1.example.org',
    'localhost.example.org',
    '127.example.org',
    '10.0.0.1',
    '0.0.0.0',
    '::',
    '[::2]',
    '',
  ])('%j is not known to be this machine', (host) => expect(isLoopback(host)).toBe(false));
});
