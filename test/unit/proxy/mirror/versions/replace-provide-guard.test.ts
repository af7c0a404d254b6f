// Tests the guard on `replace` and `provide` of mirrored packages: private names, and names that belong to other
// registries, are removed.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { runMirror, type MirrorReply } from '../../../../util/running-mirror.ts';
import { startUpstream } from '../../../../util/upstream.ts';

const linksOf = (reply: MirrorReply | undefined, version = '1.0.0'): JsonObject => {
  const versions = (reply?.json().packages['hos/evil'] ?? {}) as unknown as Readonly<Record<string, JsonObject>>;
  const { replace = null, provide = null } = versions[version] ?? {};
  return { replace, provide };
};
const evil = (version: string, links: JsonObject): { version: string; extra: JsonObject } => ({
  version,
  extra: links,
});

describe('the replaced and provided names of a mirrored package', () => {
  it('exclude private and reserved names, in any case', async () => {
    await using upstream = await startUpstream();
    upstream.put('hos/evil', [
      evil('2.0.0', { replace: { 'acme/secret': '*' } }),
      evil('1.0.0', {
        replace: { 'Acme/Secret': '*', 'acme/never-published': '*', 'old/name': '1.0' },
        provide: { 'ours-x/tool': '1.0', 'psr/log-implementation': '1.0', 'ext-foo': '*' },
      }),
    ]);
    await using running = runMirror([upstream.url], { set: { reserved: ['ours-*/*'] } });
    running.privates.add('acme/secret');
    const reply = await running.provider('hos/evil');
    expect(linksOf(reply)).toEqual({
      replace: { 'old/name': '1.0' },
      provide: { 'psr/log-implementation': '1.0', 'ext-foo': '*' },
    });
    expect(linksOf(reply, '2.0.0')).toEqual({ replace: {}, provide: null });
    await running.provider('hos/evil');
    expect(running.of('stand-ins-dropped')).toEqual([
      {
        kind: 'stand-ins-dropped',
        name: 'hos/evil',
        count: 3,
        names: 'acme/never-published, acme/secret, ours-x/tool',
      },
    ]);
    for (const name of ['acme/secret', 'acme/never-published', 'ours-x/tool', 'old/name'])
      expect(upstream.asked(`/p2/${name}`)).toBe(0);
  });

  it('are decided name by name for a shared vendor', async () => {
    await using upstream = await startUpstream();
    upstream.put('hos/evil', [evil('1.0.0', { replace: { 'acme/secret': '*', 'acme/public': '*' } })]);
    await using running = runMirror([upstream.url], { set: { sharedVendors: ['acme'] } });
    running.privates.add('acme/secret');
    expect(linksOf(await running.provider('hos/evil'))['replace']).toEqual({ 'acme/public': '*' });
  });

  it('are decided anew with each publication, and no client keeps the former names', async () => {
    await using upstream = await startUpstream();
    upstream.put('hos/evil', [
      evil('1.0.0', { replace: { 'acme/secret': '*', 'acme/two': '*' } }),
      { version: 'dev-main', extra: { replace: { 'acme/secret': '*' } } },
    ]);
    await using running = runMirror([upstream.url], { set: { sharedVendors: ['acme'] } });
    const seen = new Set<string>();
    const look = async (): Promise<JsonObject> => {
      const reply = await running.provider('hos/evil');
      const validator = reply?.headers['last-modified'] ?? '';
      for (const before of seen)
        if (before !== validator)
          expect((await running.provider('hos/evil', 'stable', { ifModifiedSince: before }))?.status).toBe(200);
      seen.add(validator);
      return linksOf(reply)['replace'] as JsonObject;
    };
    expect(await look()).toEqual({ 'acme/secret': '*', 'acme/two': '*' });
    expect(linksOf(await running.provider('hos/evil', 'dev'), 'dev-main')['replace']).toEqual({ 'acme/secret': '*' });
    running.privates.add('acme/secret');
    expect(await look()).toEqual({ 'acme/two': '*' });
    expect(linksOf(await running.provider('hos/evil', 'dev'), 'dev-main')['replace']).toEqual({});
    running.privates.add('acme/two');
    expect(await look()).toEqual({});
    running.privates.clear();
    expect(await look()).toEqual({ 'acme/secret': '*', 'acme/two': '*' });
    expect(seen.size).toBe(3);
    expect(upstream.asked('/p2/hos/evil.json')).toBe(1);
  });

  it('are also filtered in minified large documents and in earlier accepted records', async () => {
    await using upstream = await startUpstream({ minified: true });
    const extra = { replace: { 'acme/secret': '*', 'old/name': '*' }, extra: { long: 'x'.repeat(900_000) } };
    upstream.put(
      'hos/evil',
      Array.from({ length: 10 }, (_, at) => ({ version: `1.0.${at}`, extra })),
    );
    await using running = runMirror([upstream.url]);
    expect((await running.archive('hos/evil', '1.0.3'))?.status).toBe(200);
    running.privates.add('acme/secret');
    upstream.put(
      'hos/evil',
      Array.from({ length: 10 }, (_, at) => ({ version: `1.0.${at}`, extra, reference: 'f'.repeat(40) })),
    );
    running.clock.nowMs += 3_600_000;
    const reply = await running.provider('hos/evil');
    expect(reply?.json()).toMatchObject({ minified: 'composer/2.0' });
    expect(running.of('release-changed')).toHaveLength(1);
    expect(reply?.body.toString()).not.toContain('acme/secret');
    expect(reply?.body.toString()).toContain('old/name');
  });

  it('are at most five thousand, and unchecked names are removed', async () => {
    await using upstream = await startUpstream();
    const names = Array.from({ length: 5001 }, (_, at) => `many/n${at}`);
    upstream.put('hos/evil', [
      evil('1.0.0', {
        replace: Object.fromEntries([...names, 'acme/secret'].map((name) => [name, '*'])),
        provide: { 'ext-foo': '*', 'many/n1': '1.0' },
      }),
    ]);
    await using running = runMirror([upstream.url]);
    running.privates.add('acme/secret');
    const { replace, provide } = linksOf(await running.provider('hos/evil'));
    expect(Object.keys(replace as JsonObject)).toEqual(names.slice(0, 5000));
    expect(provide).toEqual({ 'many/n1': '1.0' });
    expect(running.of('stand-ins-dropped')).toMatchObject([{ count: 0, names: 'all but the first 5000 that it says' }]);
  });

  it('exclude names that belong to another registry alone', async () => {
    await using partner = await startUpstream();
    await using open = await startUpstream();
    partner.put('partner/own', [evil('1.0.0', {})]);
    open.put('hos/evil', [evil('1.0.0', { replace: { 'partner/lib': '*', 'old/name': '*' } })]);
    await using running = runMirror([], {
      set: {
        upstreams: [
          { id: 'partner', url: partner.url, allow: ['partner/*'], deny: [] },
          { id: 'open', url: open.url, allow: [], deny: [] },
        ],
      },
    });
    expect(linksOf(await running.provider('hos/evil'))['replace']).toEqual({ 'old/name': '*' });
  });
});
