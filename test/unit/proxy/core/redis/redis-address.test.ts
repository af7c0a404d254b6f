// Tests the addresses of a Redis behind sentinels, and of a cluster.

import { describe, expect, it } from 'vitest';
import { describeRedisUrl, parseClusterUrl, parseSentinelUrl } from '../../../../../proxy/core/redis/redis-address.ts';

describe('the address of sentinels', () => {
  it('names the sentinels, the primary, the database and both logins', () => {
    expect(
      parseSentinelUrl(
        'rediss+sentinel://me:p%40ss%2F@a.example:1,[::1]:2,b/packages/3?sentinel_username=s&sentinel_password=a+b%26c',
      ),
    ).toEqual({
      tls: true,
      sentinels: [
        { host: 'a.example', port: 1 },
        { host: '::1', port: 2 },
        { host: 'b', port: 26_379 },
      ],
      primary: 'packages',
      database: 3,
      username: 'me',
      password: 'p@ss/',
      sentinelUsername: 's',
      sentinelPassword: 'a+b&c',
    });
    expect(parseSentinelUrl('redis+sentinel://:p@a/packages')).toEqual({
      tls: false,
      sentinels: [{ host: 'a', port: 26_379 }],
      primary: 'packages',
      database: 0,
      password: 'p',
    });
  });

  it.each([
    'redis://a/packages',
    'redis+sentinel://a',
    'redis+sentinel://a/',
    'redis+sentinel://a,/packages',
    'redis+sentinel://a:0/packages',
    'redis+sentinel://a:65536/packages',
    'redis+sentinel://a/pack ages',
    'redis+sentinel://a/packages/x',
    'redis+sentinel://a/packages/1/2',
    'redis+sentinel://:%zz@a/packages',
    'redis+sentinel://a/packages?password=x',
    'redis+sentinel://a/packages?sentinel_password=%zz',
    'redis+sentinel://a/packages#x',
  ])('refuses %s', (url) => expect(parseSentinelUrl(url)).toBeUndefined());
});

describe('the address of a cluster', () => {
  it('names servers, the registry and the login', () => {
    expect(parseClusterUrl('rediss+cluster://me:p%40ss@a.example:1,[::1]:2,b/packages')).toEqual({
      tls: true,
      servers: [
        { host: 'a.example', port: 1 },
        { host: '::1', port: 2 },
        { host: 'b', port: 6379 },
      ],
      registry: 'packages',
      username: 'me',
      password: 'p@ss',
    });
    for (const end of ['', '/'])
      expect(parseClusterUrl(`redis+cluster://a${end}`)).toEqual({
        tls: false,
        servers: [{ host: 'a', port: 6379 }],
        registry: 'libretto',
      });
  });

  it.each([
    'redis://a',
    'redis+sentinel://a/packages',
    'redis+cluster://',
    'redis+cluster://a,',
    'redis+cluster://a:0',
    'redis+cluster://a/b/c',
    'redis+cluster://a/{b}',
    'redis+cluster://a?x=1',
    'redis+cluster://:%zz@a',
  ])('refuses %s', (url) => expect(parseClusterUrl(url)).toBeUndefined());
});

describe('an address as shown to people', () => {
  it.each([
    [
      'redis+sentinel://u:s3cret@a:1,[::1]/packages/2?sentinel_password=s3cret',
      'redis+sentinel://a:1,[::1]:26379/packages/2',
    ],
    ['rediss+sentinel://a/packages', 'rediss+sentinel://a:26379/packages'],
    ['redis+cluster://u:s3cret@a:1,[::1]/packages', 'redis+cluster://a:1,[::1]:6379/packages'],
    ['rediss+cluster://:s3cret@a/libretto', 'rediss+cluster://a:6379'],
    ['redis://u:s3cret@h:1/2', 'redis://h:1/2'],
    ['rediss://h/', 'rediss://h'],
  ])('has no password: %s', (url, text) => expect(describeRedisUrl(url)).toBe(text));
});
