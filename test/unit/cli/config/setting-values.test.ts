// Tests the values that each kind of setting accepts.

import { describe, expect, it } from 'vitest';

import {
  parseDistUrl,
  parseHostPort,
  parseListen,
  parseLog,
  parseMetadataUrl,
  parseRedisUrl,
  parseTrustedProxies,
  parseWholeNumber,
  shown,
} from '../../../../cli/config/setting-values.ts';

describe('listen', () => {
  it.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['localhost:0', 'localhost', 0],
    ['[::1]:80', '::1', 80],
    ['[::]:443', '::', 443],
    ['9000', '127.0.0.1', 9000],
    [9000, '127.0.0.1', 9000],
    ['0.0.0.0', '0.0.0.0', 8080],
    ['::', '::', 8080],
    ['[::1]', '::1', 8080],
    ['2001:db8::1', '2001:db8::1', 8080],
    ['localhost', 'localhost', 8080],
    ['packages.example.org', 'packages.example.org', 8080],
  ])('the address %s is accepted', (raw, host, port) => expect(parseListen(raw)).toEqual({ host, port }));

  it.each([
    '',
    ':80',
    'here',
    '256.1.1.1',
    '1.2.3',
    '::1:80',
    '[here]',
    '99999',
    '[127.0.0.1]:80',
    'a:65536',
    'a:1x',
    'http://a:80',
    'a b:1',
    -1,
    null,
    {},
  ])('the value %j is refused', (raw) => expect(parseListen(raw)).toBeUndefined());
});

it.each(['0.0.0.0', '::1', 'localhost'])('the address of the metrics needs a port: %s', (raw) =>
  expect(parseHostPort(raw)).toBeUndefined(),
);

describe('metadata-url', () => {
  it.each(['/p2/%package%$%hash%.json', '/p2/%package%.json', 'https://packages.example.org/p2/%package%.json'])(
    'the URL %s is accepted',
    (raw) => expect(parseMetadataUrl(raw)).toBe(raw),
  );

  it.each([
    'p2/%package%.json',
    '//evil/%package%',
    '/p2/%name%.json',
    'ftp://a/%package%',
    'https://%package%/',
    '/p2/%package% .json',
    7,
  ])('the value %j is refused', (raw) => expect(parseMetadataUrl(raw)).toBeUndefined());
});

describe('dist-url', () => {
  it('the dist URL is a path, or an absolute address without a slash at its end', () => {
    expect(parseDistUrl('path')).toEqual({ form: 'path' });
    expect(parseDistUrl('https://p.example.org/composer/')).toEqual({
      form: 'absolute',
      base: 'https://p.example.org/composer',
    });
    expect(parseDistUrl('http://p.example.org')).toEqual({ form: 'absolute', base: 'http://p.example.org' });
  });

  it.each(['', '/dist', 'ftp://a', 'https://u:p@a', 'https://a/?x=1', 'https://a/#x'])(
    'the value %j is refused',
    (raw) => expect(parseDistUrl(raw)).toBeUndefined(),
  );
});

describe('other settings', () => {
  it('a Redis is given by its URL', () => {
    expect(parseRedisUrl('rediss://u:p@h:6380/1')).toBe('rediss://u:p@h:6380/1');
    expect([parseRedisUrl('h:6379'), parseRedisUrl('http://h'), parseRedisUrl('redis://')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('a Redis behind sentinels is given by its sentinels', () => {
    const given = 'redis+sentinel://u:p@a:26379,b/packages/1';
    expect(parseRedisUrl(given)).toBe(given);
    expect(
      [
        'redis+sentinel://a:1',
        'redis+sentinel://a:1/',
        'redis+sentinel:///packages',
        'sentinel://a/packages',
        'redis+sentinel://a/packages/x',
      ].map(parseRedisUrl),
    ).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(shown('redis+sentinel://u:s3cret@a,b/packages?sentinel_password=s3cret')).toBe(
      '"redis+sentinel://***@a,b/packages?***"',
    );
  });

  it('trusted proxies are addresses and networks', () => {
    expect(parseTrustedProxies('10.0.0.0/8, ::1')).toEqual(['10.0.0.0/8', '::1']);
    expect(parseTrustedProxies(['fd00::/8'])).toEqual(['fd00::/8']);
    expect([
      parseTrustedProxies('10.0.0.0/33'),
      parseTrustedProxies('proxy.local'),
      parseTrustedProxies([1]),
      parseTrustedProxies('::1/129'),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('the log goes to standard output, to a file, or nowhere', () => {
    expect(parseLog('-', { directory: '/srv' })).toEqual({ to: 'stdout' });
    expect(parseLog('none', { directory: '/srv' })).toEqual({ to: 'none' });
    expect(parseLog('a/b.log', { directory: '/srv' })).toEqual({ to: 'file', path: '/srv/a/b.log' });
    expect(parseLog('logs/', { directory: '/srv' })).toBeUndefined();
  });

  it('whole numbers are within their range', () => {
    expect([parseWholeNumber('12', 1, 20), parseWholeNumber(12, 1, 20)]).toEqual([12, 12]);
    for (const raw of ['1.5', 1.5, '-1', ' 1', '1e1', '21', true, null])
      expect(parseWholeNumber(raw, 1, 20)).toBeUndefined();
  });

  it.each([
    ['redis://a:p@ss/w@h/0', '"redis://***@h/0"'],
    ['https://user:s3 cret@h/x', '"https://***@h/x"'],
    ['https://h/lib.git?token=s3cret', '"https://h/lib.git?***"'],
    ['git@h:lib.git?token=s3cret', '"git@h:lib.git?***"'],
    ['user:s3cret@h:x.git', '"user:***@h:x.git"'],
    [{ 'https://u:p@h': ['https://u:s"3@h/x'], note: 'Why?' }, '{"https://***@h":["https://***@h/x"],"note":"Why?"}'],
    [`https://u:${'s3cret'.repeat(50)}@h/x`, '"https://***@h/x"'],
    [12, '12'],
    [undefined, 'undefined'],
  ])('secrets are hidden: %j', (raw, text) => expect(shown(raw)).toBe(text));
});
