// Tests the source that a name belongs to. A name that is or may be private is never requested from an upstream (I9).

import { describe, expect, it } from 'vitest';
import { matchAnyName } from '../../../../../build/shared/patterns/package-pattern.ts';
import { createPrecedence, type Belonging, type PrecedenceRules } from '../../../../../proxy/core/tree/precedence.ts';
import { packageName, runMirror } from '../../../../util/running-mirror.ts';
import { startUpstream } from '../../../../util/upstream.ts';

const scope = (
  id: string,
  allow: readonly string[] = [],
  deny: readonly string[] = [],
): PrecedenceRules['upstreams'][number] => ({ id, allow, deny });
const privates = ['acme/app', 'acme/tool', 'fork/lib'];

function belonging(name: string, rules: Partial<PrecedenceRules>): Belonging {
  const names = {
    has: (asked: string) => privates.includes(asked),
    hasVendor: (vendor: string) => privates.some((one) => one.startsWith(`${vendor}/`)),
  };
  return createPrecedence({ reserved: [], sharedVendors: [], upstreams: [scope('public')], ...rules })(
    packageName(name),
    names,
  );
}
const of = (name: string, rules: Partial<PrecedenceRules> = {}): string => {
  const found = belonging(name, rules);
  return found.to === 'upstreams' ? found.ids.join(' ') : found.to;
};

describe('row 76: a name belongs', () => {
  it('to this registry where the name is private, or its vendor has a private package', () => {
    expect(of('acme/app')).toBe('private');
    expect(of('acme/unheard-of')).toBe('private');
    expect(of('acmex/lib')).toBe('public');
    expect(belonging('acme/unheard-of', {})).toMatchObject({
      because: expect.stringContaining('shared_vendors') as string,
    });
  });

  it('to this registry where the name is reserved, whether the package exists or not', () => {
    expect(of('secret/x', { reserved: ['secret/*'] })).toBe('private');
    expect(of('team-a/x', { reserved: ['team-*/*'] })).toBe('private');
    expect(of('some/internal-x', { reserved: ['*/internal-*'] })).toBe('private');
    expect(of('some/lib', { reserved: ['secret/*', 'some/li'] })).toBe('public');
    expect(of('somexlib/a', { reserved: ['some.lib/*'] })).toBe('public');
  });

  it('by itself where the vendor is shared, and a private name stays private', () => {
    const rules = { sharedVendors: ['fork', 'secret'], reserved: ['secret/*', 'fork/hidden', '*/internal-*'] };
    expect(of('fork/other', rules)).toBe('public');
    expect(of('fork/lib', rules)).toBe('private');
    expect(of('secret/x', rules)).toBe('public');
    expect(of('fork/hidden', rules)).toBe('private');
    expect(of('fork/internal-x', rules)).toBe('private');
    expect(of('acme/other', rules)).toBe('private');
  });

  it('to the upstreams that allow it, in their order', () => {
    const upstreams = [scope('first', [], ['*/secret']), scope('second', ['some/*', 'one/lib']), scope('third', ['*'])];
    expect(of('some/lib', { upstreams: upstreams.slice(0, 2) })).toBe('first second');
    expect(of('some/secret', { upstreams })).toBe('second');
    expect(of('one/lib', { upstreams })).toBe('first second');
    expect(of('one/other', { upstreams })).toBe('first third');
    expect(belonging('one/other', { upstreams: upstreams.slice(1, 2) })).toEqual({
      to: 'nobody',
      because:
        'no upstream is used for one/other: the only/except of the repositories, or mirroring.allow/deny, exclude it',
    });
    expect(of('some/lib', { upstreams: [] })).toBe('nobody');
  });

  it('only to the upstreams that list it, and to none without a list behind one of them', () => {
    const upstreams = [
      scope('ours', ['corp/*', 'lib/*'], ['lib/public']),
      scope('theirs', ['corp/shared']),
      scope('open'),
      scope('all', ['*/*']),
      scope('listed', ['lib/*']),
    ];
    expect(of('corp/typo', { upstreams })).toBe('ours');
    expect(of('corp/shared', { upstreams })).toBe('ours theirs');
    expect(of('lib/some', { upstreams })).toBe('ours listed');
    expect(of('lib/public', { upstreams })).toBe('open all listed');
    expect(of('some/lib', { upstreams })).toBe('open all');
  });

  it('to nobody as long as the private names are unknown', () => {
    const names = {
      has: () => false,
      hasVendor: (vendor: string) => vendor === 'acme',
      unknown: 'nothing is published',
    };
    const decide = createPrecedence({ reserved: ['secret/*'], sharedVendors: [], upstreams: [scope('public')] });
    expect(decide(packageName('some/lib'), names)).toEqual({
      to: 'nobody',
      because: 'nothing is published',
      unknown: true,
    });
    for (const name of ['acme/app', 'secret/x']) expect(decide(packageName(name), names).to).toBe('private');
  });
});

describe('patterns of names', () => {
  it.each([
    ['*', 'a/b', true],
    ['a/*', 'a/b', true],
    ['a/*', 'ab/c', false],
    ['*/b', 'a/b', true],
    ['*a*b*', 'xa/yb', true],
    ['ab*ba', 'aba', false],
    ['a*a*a', 'a/a', false],
    ['a*a*a', 'a/aa', true],
    ['a.b/*', 'axb/c', false],
    ['A/*', 'a/b', true],
    ['a**b', 'ab', true],
  ])('the pattern %s for %s gives %s', (pattern, name, matches) => expect(matchAnyName([pattern])(name)).toBe(matches));

  it('patterns with many stars match quickly', () =>
    expect(matchAnyName([`${'*a'.repeat(100)}b`])('a'.repeat(201))).toBe(false));
});

describe('I9: an upstream that claims private names', () => {
  it('is never asked for them, and its answers are ignored', async () => {
    await using upstream = await startUpstream();
    for (const name of ['acme/app', 'acme/evil', 'secret/x', 'fork/lib', 'fork/other'])
      upstream.put(name, [{ version: '99.0.0' }]);
    await using running = runMirror([upstream.url], { set: { reserved: ['secret/*'], sharedVendors: ['fork'] } });
    for (const name of privates) running.privates.add(name);
    for (const name of ['acme/app', 'acme/evil', 'secret/x', 'fork/lib']) {
      expect(await running.provider(name)).toBeUndefined();
      expect(await running.provider(name, 'dev')).toBeUndefined();
      expect(await running.archive(name, '99.0.0')).toBeUndefined();
    }
    expect(upstream.server.requests).toEqual([]);
    expect((await running.provider('fork/other'))?.status).toBe(200);
  });

  it('is ignored for a name that becomes private, and so are its cached documents', async () => {
    await using upstream = await startUpstream();
    upstream.put('acme/lib', [{ version: '1.0.0' }]);
    await using running = runMirror([upstream.url]);
    expect((await running.archive('acme/lib', '1.0.0'))?.status).toBe(200);
    expect((await running.provider('acme/lib'))?.status).toBe(200);
    running.privates.add('acme/first-private-package');
    expect(await running.archive('acme/lib', '1.0.0')).toBeUndefined();
    expect(await running.provider('acme/lib')).toBeUndefined();
  });

  it('a failing upstream passes no name to the next, and one package comes from one upstream', async () => {
    await using first = await startUpstream();
    await using second = await startUpstream();
    first.put('some/lib', [{ version: '1.0.0' }]);
    second.put('some/lib', [{ version: '2.0.0' }, { version: 'dev-main' }]);
    second.put('some/other', [{ version: '3.0.0' }]);
    await using running = runMirror([first.url, second.url]);
    expect((await running.provider('some/lib'))?.body.toString()).toContain('/dist/some/lib/1.0.0.zip');
    expect((await running.provider('some/lib', 'dev'))?.body.toString()).toBe('{"packages":{"some/lib":{}}}\n');
    expect(await running.archive('some/lib', '2.0.0')).toBeUndefined();
    expect((await running.provider('some/other'))?.status).toBe(200);
    await using broken = runMirror([first.url, second.url]);
    first.failing.status = 500;
    const before = second.server.requests.length;
    expect((await broken.provider('some/other'))?.status).toBe(500);
    expect(second.server.requests).toHaveLength(before);
  });

  it('is replaced at once when the settings name another upstream', async () => {
    await using first = await startUpstream();
    await using second = await startUpstream();
    first.put('some/lib', [{ version: '1.0.0' }]);
    second.put('some/lib', [{ version: '2.0.0' }]);
    await using running = runMirror([first.url]);
    await running.provider('some/lib');
    running.setRules({ upstreams: [{ id: 'u1', url: second.url, allow: [], deny: [] }] });
    expect((await running.provider('some/lib'))?.body.toString()).toContain('2.0.0.zip');
    running.setRules({ upstreams: [{ id: 'u1', url: second.url, allow: [], deny: ['some/*'] }] });
    expect(await running.provider('some/lib')).toBeUndefined();
    running.setRules({ upstreams: [] });
    expect(await running.provider('some/lib')).toBeUndefined();
  });
});
