// Tests the feed of changed documents (metadata-changes-url): what a follower reads after each kind of change, and that
// a limited token notices only what it sees.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

interface Feed {
  readonly actions: readonly { readonly type: string; readonly package: string; readonly time: number }[];
  readonly timestamp: number;
}

describe('the feed of changes', () => {
  let tree: TemporaryTree;
  let server: RunningCli;
  let url = '';
  const tokens: Record<'all' | 'hello', string> = { all: '', hello: '' };

  const libretto = async (line: string): Promise<CliOutcome> => {
    const outcome = await runCli([...line.split(' '), '--data', 'data'], { cwd: tree.root });
    if (outcome.exitCode !== 0) throw new Error(`${line}: ${outcome.stderr}`);
    return outcome;
  };
  const put = (folder: string, name: string, version?: string): void =>
    tree.write(below(`src/${folder}`, libraryTree(name, version === undefined ? {} : { version })));
  const ask = async (token: 'all' | 'hello', query: string): Promise<{ status: number; text: string; feed: Feed }> => {
    const reply = await fetch(`${url}/metadata/changes.json${query}`, {
      headers: { authorization: `Bearer ${tokens[token]}` },
    });
    const text = await reply.text();
    return { status: reply.status, text, feed: JSON.parse(text) as Feed };
  };
  const since = async (token: 'all' | 'hello', timestamp: number): Promise<Feed> =>
    (await ask(token, `?since=${timestamp}`)).feed;
  /** The timestamp after which a follower gets nothing: the second of the last publication is over. */
  const settled = async (token: 'all' | 'hello'): Promise<number> => {
    let timestamp = 0;
    await expect
      .poll(async () => {
        ({ timestamp } = (await ask(token, '')).feed);
        return (await since(token, timestamp)).actions;
      })
      .toEqual([]);
    return timestamp;
  };
  const named = ({ actions }: Feed): string[] => actions.map(({ type, package: name }) => `${type} ${name}`);

  beforeAll(async () => {
    tree = temporaryTree(below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })));
    put('other', 'acme/other', '1.0.0');
    await libretto('build src');
    for (const [token, limit] of [
      ['all', ''],
      ['hello', ' --package acme/hello'],
    ] as const) {
      const { stdout } = await libretto(`token create --json --description ${token}${limit}`);
      tokens[token] = (JSON.parse(stdout) as { token: string }).token;
    }
    server = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', '--log', 'none'], { cwd: tree.root });
    [url = ''] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
  });
  afterAll(async () => {
    server.signal('SIGTERM');
    await server.ended;
    tree.remove();
  });

  it('begins at the timestamp of an answer without "since", and packages.json names its address', async () => {
    await settled('all');
    const { status, feed } = await ask('all', '');
    expect([status, feed]).toEqual([
      400,
      expect.objectContaining({ code: 'INVALID_INPUT', timestamp: expect.any(Number) }),
    ]);
    expect((await ask('all', '?since=yesterday')).status).toBe(400);
    expect((await ask('all', '?since=0')).status).toBe(400);
    expect(await since('all', feed.timestamp)).toEqual({ actions: [], timestamp: feed.timestamp });
    const root = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${tokens.all}` } });
    expect(await root.json()).toMatchObject({ 'metadata-changes-url': '/metadata/changes.json' });
    expect(named(await since('all', 10_000_000_000_000))).toEqual(['update acme/hello', 'update acme/other']);
    expect((await fetch(`${url}/metadata/changes.json`)).status).toBe(401);
  });

  it('names each document that a publication changed, and deletes a package without versions', async () => {
    const start = await settled('all');
    put('other', 'acme/other', '1.1.0');
    put('branch', 'acme/branch', 'dev-main');
    await libretto('build');
    expect(named(await since('all', start))).toEqual(['update acme/branch~dev', 'update acme/other']);
    const second = await settled('all');
    await libretto('package withdraw acme/branch dev-main');
    expect(named(await since('all', second))).toEqual(['delete acme/branch~dev']);
    expect(await settled('all')).toBeGreaterThan(second);
    expect(named(await since('all', start))).toEqual(['update acme/other', 'delete acme/branch~dev']);
  });

  it('shows a limited token only what it sees: other changes leave every byte as it was', async () => {
    const start = await settled('hello');
    const before = await ask('hello', '?since=10000000000000');
    expect(named(before.feed)).toEqual(['update acme/hello']);
    put('other', 'acme/other', '1.2.0');
    await libretto('build');
    expect((await ask('hello', '?since=10000000000000')).text).toBe(before.text);
    expect((await ask('hello', '')).feed.timestamp).toBe(start);
    put('hello', 'acme/hello', '1.1.0');
    await libretto('build');
    expect(named(await since('hello', start))).toEqual(['update acme/hello']);
  });

  it('asks for everything anew after other limits, after a rule, and for a time that has not come', async () => {
    const timestamp = await settled('all');
    const resync = [{ type: 'resync', package: '*', time: expect.any(Number) as number }];
    expect((await since('hello', timestamp)).actions).toEqual(resync);
    expect((await since('all', timestamp + 10_000)).actions).toEqual(resync);
    tree.write({
      'policy.json': {
        json: { rules: [{ name: 'age', rule: 'age', days: 3, origin: 'mirrored', action: 'block' }] },
      },
    });
    await libretto('policy set policy.json');
    expect((await since('all', timestamp)).actions).toEqual(resync);
  });

  itInSeries(
    'brings a new version to a registry that mirrors this one, long before its documents would be checked',
    async () => {
      tree.write({
        'mirror/libretto.json': { json: { egress: { allow: ['127.0.0.1'] } } },
        'mirror/token': tokens.all,
      });
      tree.write(below('mirror/src', libraryTree('mine/own', { version: '1.0.0' })));
      const there = async (line: string): Promise<string> => {
        const { exitCode, stdout, stderr } = await runCli(line.split(' '), { cwd: tree.path('mirror') });
        expect([line, exitCode, stderr]).toEqual([line, 0, expect.any(String)]);
        return stdout;
      };
      await there('build src --data data');
      await there(`repository add ${url} --type composer --token-file token --data data`);
      const token = (JSON.parse(await there('token create --description x --json --data data')) as { token: string })
        .token;
      const mirror = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', '--log', 'none'], {
        cwd: tree.path('mirror'),
      });
      const [at = ''] = await mirror.shows(/http:\/\/127\.0\.0\.1:\d+/);
      const versions = async (): Promise<string> => {
        const reply = await fetch(`${at}/p2/acme/other.json`, { headers: { authorization: `Bearer ${token}` } });
        return reply.text();
      };
      await expect.poll(versions, { interval: 250 }).toContain('"1.2.0"');
      put('other', 'acme/other', '1.3.0');
      await libretto('build');
      await expect.poll(versions, { interval: 250 }).toContain('"1.3.0"');
      mirror.signal('SIGTERM');
      await mirror.ended;
    },
  );
});
