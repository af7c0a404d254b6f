// Tests the refresh of a connection against a fake of each forge: what is registered, reported, resumed and left alone.

import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../../../build/contract/json.ts';
import { connectionKey, type ConnectionRecord } from '../../../../../proxy/forges/model/connection.ts';
import { readProgress } from '../../../../../proxy/forges/model/read-progress.ts';
import type { SkipReason } from '../../../../../proxy/forges/model/forge-repository.ts';
import type { Repositories } from '../../../../../proxy/sync/repositories.ts';
import type { RepositoryRecord } from '../../../../../proxy/sync/repository.ts';
import { addTools, allForges } from '../../../../util/forges/all-forges.ts';
import { connectedRegistry, type ConnectedRegistry } from '../../../../util/forges/connected-registry.ts';
import { startGitHub } from '../../../../util/forges/fake-github.ts';
import { startGitLab } from '../../../../util/forges/fake-gitlab.ts';

const dayMs = 86_400_000;

/** Those that were registered at the same moment have no order. */
async function byUrl(repositories: Repositories): Promise<readonly RepositoryRecord[]> {
  return (await repositories.list()).toSorted((one, other) => (one.url < other.url ? -1 : 1));
}

describe.each(allForges)('a refresh of %s', (name, start) => {
  it('registers repositories with a package, says why others are not, and asks nothing twice', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry();
    addTools(forge, 2);
    const others: [SkipReason, object][] = [
      ['no_composer_json', {}],
      ['invalid_composer_json', { composer: '[' }],
      ['no_name', { composer: { type: 'project' } }],
      ['fork', { fork: true, composer: { name: 'symfony/console' } }],
      ['filtered', { name: 'old-thing', composer: { name: 'acme/old' } }],
      ['forbidden', { readable: false, composer: { name: 'acme/secret' } }],
    ];
    others.forEach(([reason, more], at) =>
      forge.repositories.push({ id: String(50 + at), name: reason.replaceAll('_', '-'), ...more }),
    );
    const connection = await registry.connect(name, forge, { except: ['old-*'] });
    expect(await registry.refresh(connection)).toMatchObject({ end: 'finished' });
    const seen = await registry.seen(connection);
    expect(seen.flatMap(({ state, package: found }) => (state === 'registered' ? [found] : []))).toEqual([
      'acme/tool-1',
      'acme/tool-2',
    ]);
    expect(new Set(seen.map(({ reason }) => reason).filter((reason) => reason !== null))).toEqual(
      new Set(others.map(([reason]) => reason)),
    );
    const records = await registry.repositories.list();
    expect(records.map(({ url, credentials }) => [url, credentials]).toSorted()).toEqual(
      [1, 2].map((number) => [`${forge.url}/${forge.owner}/tool-${number}.git`, null]),
    );
    forge.requests.length = 0;
    await registry.refresh(connection);
    // only the list, and the one repository whose files the forge refused
    expect(forge.requests.length).toBe(2);
  });

  it('keeps the identity of a renamed repository, and reports archived and removed ones', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry();
    addTools(forge, 3);
    const connection = await registry.connect(name, forge);
    await registry.refresh(connection);
    const before = await byUrl(registry.repositories);
    forge.repositories[0]!.name = 'renamed';
    forge.repositories[1]!.archived = true;
    forge.repositories.splice(2, 1);
    const { steps } = await registry.refresh(connection);
    const isArchived = name !== 'bitbucket'; // which has no archived repositories
    expect(steps).toEqual([
      `renamed ${forge.owner}/renamed`,
      ...(isArchived ? [`archived ${forge.owner}/tool-2`] : []),
      `removed ${forge.owner}/tool-3`,
    ]);
    const after = await byUrl(registry.repositories);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after.map(({ url, published_as: former }) => [url, former])).toEqual([
      [`${forge.url}/${forge.owner}/renamed.git`, before[0]?.url],
      ...before.slice(1).map(({ url }) => [url, undefined]),
    ]);
    expect((await registry.refresh(connection)).steps).toEqual([]);

    forge.repositories.push({ id: '3', name: 'tool-3', composer: { name: 'acme/tool-3' } });
    forge.repositories[1]!.archived = false;
    expect((await registry.refresh(connection)).steps).toEqual(
      [...(isArchived ? ['2'] : []), '3'].map((number) => `returned ${forge.owner}/tool-${number}`),
    );
    expect(await registry.repositories.list()).toHaveLength(3);
  });

  it('walks through all pages, and goes on where it was stopped', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry();
    addTools(forge, 112);
    const connection = await registry.connect(name, forge);
    const killed = new AbortController();
    forge.onRequest = ({ path }) => {
      if (path.includes('composer.json') && forge.requests.length > 104) killed.abort();
    };
    expect(await registry.refresh(connection, killed.signal)).toMatchObject({ end: 'stopped' });
    const { phase, page } = await readProgress(registry.state, connection.id);
    expect([phase, page > 0]).toEqual(['listing', true]);
    const asked = forge.requests.length;
    forge.onRequest = () => undefined;
    expect(await registry.refresh(connection)).toMatchObject({ end: 'finished' });
    expect(await registry.repositories.list()).toHaveLength(112);
    // each composer.json once
    expect(forge.requests.filter((line) => line.includes('composer.json'))).toHaveLength(112);
    expect(forge.requests.slice(asked).some((line) => line.includes('composer.json'))).toBe(true);
  });

  it('waits for a rate limit, and goes on after it', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry();
    addTools(forge, 3);
    const connection = await registry.connect(name, forge);
    forge.onRequest = ({ path }) => {
      if (path.includes('composer.json') && forge.instead.length === 0 && forge.requests.length < 6)
        forge.instead.push({ status: 429, headers: { 'retry-after': '90' }, body: { message: 'slow down' } });
    };
    const paused = await registry.refresh(connection);
    expect(paused).toMatchObject({ end: 'paused', isLimit: true, untilMs: registry.clock + 90_000 });
    const progress = await readProgress(registry.state, connection.id);
    expect([progress.next_at, progress.error]).toEqual([new Date(registry.clock + 90_000).toISOString(), null]);
    forge.onRequest = () => undefined;
    expect(await registry.refresh(connection)).toMatchObject({ end: 'finished' });
    expect(await registry.repositories.list()).toHaveLength(3);
  });

  it('keeps everything registered when the credentials see nothing any more, or are refused', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry();
    addTools(forge, 2);
    const connection = await registry.connect(name, forge);
    await registry.refresh(connection);
    const all = forge.repositories.splice(0);
    expect(await registry.refresh(connection)).toMatchObject({
      end: 'refused',
      message: expect.stringContaining('lists no repository') as string,
    });
    forge.repositories.push(...all);
    forge.token = 'another';
    expect(await registry.refresh(connection)).toMatchObject({
      end: 'refused',
      message: expect.stringContaining('did not accept the credentials') as string,
    });
    expect((await registry.seen(connection)).map(({ state }) => state)).toEqual(['registered', 'registered']);
    forge.token = 'forge-token-5f0d3a';
    expect(await registry.refresh(connection)).toMatchObject({ end: 'finished' });
  });
});

describe('a secondary rate limit of GitHub', () => {
  it('that names no time is waited for longer each time', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    addTools(forge, 1);
    const connection = await registry.connect('github', forge);
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    for (const seconds of [60, 120, 240]) {
      forge.instead.push({ status: 403, body: { message } });
      expect(await registry.refresh(connection)).toMatchObject({ untilMs: registry.clock + seconds * 1000 });
    }
    expect(await registry.refresh(connection)).toMatchObject({ end: 'finished' });
  });
});

describe('a refresh', () => {
  it('reports a project of GitLab that is removed in some days', async () => {
    await using forge = await startGitLab();
    await using registry = await connectedRegistry();
    addTools(forge, 1);
    const connection = await registry.connect('gitlab', forge);
    await registry.refresh(connection);
    forge.repositories[0]!.removed = true;
    const { steps } = await registry.refresh(connection);
    expect(steps).toContain('archived acme/php/tool-1-deletion_scheduled-1');
    forge.repositories[0]!.removed = false;
    expect((await registry.refresh(connection)).steps).toContain('returned acme/php/tool-1');
  });

  it('reads an unchanged page no second time, and notices a new repository behind it', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    addTools(forge, 101);
    const connection = await registry.connect('github', forge);
    await registry.refresh(connection);
    forge.repositories.push({ id: '900', name: 'new', composer: { name: 'acme/new' } });
    forge.requests.length = 0;
    expect((await registry.refresh(connection)).steps).toEqual(['registered acme/new']);
    const statuses = forge.requests.filter((line) => line.includes('/repos?')).map((line) => line.slice(-3));
    expect(statuses).toEqual(['304', '200']);
    registry.clock += dayMs;
    forge.requests.length = 0;
    await registry.refresh(connection);
    expect(forge.requests.map((line) => line.slice(-3))).toEqual(['200', '200']);
  });

  it('asks for a repository that a shifted page left out, before it reports it', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    addTools(forge, 102);
    const connection = await registry.connect('github', forge);
    await registry.refresh(connection);
    registry.clock += dayMs;
    forge.onRequest = ({ query }) => {
      // the first page was read; a removed repository shifts one from the second to the first
      if (query.get('page') === '2' && forge.repositories.length === 102) forge.repositories.splice(0, 1);
    };
    expect((await registry.refresh(connection)).steps).toEqual([]);
    expect(forge.requests.at(-1)).toBe('GET /repos/acme/tool-101 200');
    expect((await registry.refresh(connection)).steps).toEqual(['removed acme/tool-1']);
  });

  it('does not register a repository again that a person has removed here', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    addTools(forge, 1);
    const connection = await registry.connect('github', forge);
    await registry.refresh(connection);
    const [record] = await registry.repositories.list();
    await registry.repositories.remove(record!.id, record!.id);
    forge.repositories[0]!.pushed = '2026-11-24T00:00:00Z';
    await registry.refresh(connection);
    expect(await registry.repositories.list()).toEqual([]);
    expect(await registry.seen(connection)).toMatchObject([{ state: 'skipped', reason: 'unregistered' }]);
  });

  it('leaves an address alone that a person registered, and takes over those of a removed connection', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    addTools(forge, 2);
    const { id } = await registry.repositories.create({ type: 'git', url: `${forge.url}/acme/tool-1.git` });
    const first = await registry.connect('github', forge);
    await registry.refresh(first);
    expect((await registry.seen(first)).map(({ reason }) => reason)).toEqual(['taken', null]);
    await registry.connections.remove(first.id, first.id);
    expect((await registry.state.range('connection')).map(({ key }) => key)).toEqual([]);
    const second = await registry.connect('github', forge);
    await registry.refresh(second);
    const [byHand, taken] = await byUrl(registry.repositories);
    expect([byHand?.id, byHand?.forge, taken?.forge?.connection]).toEqual([id, undefined, second.id]);
    expect(await registry.repositories.list()).toHaveLength(2);
  });

  it('takes over archived and filtered repositories of a removed connection', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    addTools(forge, 2);
    const first = await registry.connect('github', forge);
    await registry.refresh(first);
    const before = (await registry.repositories.list()).map(({ id }) => id).toSorted();
    forge.repositories[0]!.archived = true;
    await registry.connections.remove(first.id, first.id);
    const second = await registry.connect('github', forge, { except: ['tool-2'] });
    await registry.refresh(second);
    const rows = await registry.seen(second);
    expect(rows.map(({ state }) => state)).toEqual(['archived', 'registered']);
    expect(rows.map(({ repository }) => repository).toSorted()).toEqual(before);
    expect((await registry.repositories.list()).map(({ forge: place }) => place?.connection)).toEqual([
      second.id,
      second.id,
    ]);
  });

  it('stops when its connection is removed, and leaves no row', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    addTools(forge, 3);
    const connection = await registry.connect('github', forge);
    const removed: Promise<unknown>[] = [];
    forge.onRequest = ({ path }) => {
      if (path.endsWith('/tool-2/contents/composer.json'))
        removed.push(registry.connections.remove(connection.id, connection.id));
    };
    expect(await registry.refresh(connection)).toMatchObject({ end: 'stopped' });
    await Promise.all(removed);
    expect((await registry.state.range('connection')).map(({ key }) => key)).toEqual([]);
  });
});

// Folders that are packages.

/** `name [folders]` of each registered repository; `root` without folders. */
async function registered({ repositories }: ConnectedRegistry): Promise<readonly string[]> {
  const records = await repositories.list();
  return records
    .map(({ url, filters }) => `${/([^/]*)\.git$/.exec(url)?.[1]} ${JSON.stringify(filters.subdirectories ?? 'root')}`)
    .toSorted();
}

async function changed(
  registry: ConnectedRegistry,
  { id }: ConnectionRecord,
  subdirectories: readonly string[] | null,
): Promise<readonly string[]> {
  expect(await registry.refresh(await registry.connections.update(id, { subdirectories }))).toMatchObject({
    end: 'finished',
  });
  return registered(registry);
}

describe.each(allForges)('%s: folders that are packages', (name, start) => {
  it('make a monorepo of each repository that has them, and others are read at their root', async () => {
    await using forge = await start();
    await using registry = await connectedRegistry();
    const folders = {
      'packages/docs': {},
      'packages/one+two': { name: 'acme/one' },
      'tools/x/cli': { name: 'acme/cli' },
    };
    forge.repositories.push(
      { id: '1', name: 'mono', branch: 'release/1', folders },
      { id: '2', name: 'named', composer: { name: 'acme/named' }, folders: { 'packages/two': { name: 'acme/two' } } },
      { id: '3', name: 'plain', composer: { name: 'acme/plain' } },
      { id: '4', name: 'website', folders: { 'packages/page': {} } },
    );
    const connection = await registry.connect(name, forge, { subdirectories: ['packages/*'] });
    const { steps } = await registry.refresh(connection);
    expect(steps.map((step) => step.replace(`${forge.owner}/`, ''))).toEqual([
      'registered mono',
      'registered named',
      'registered plain',
      'skipped website',
    ]);
    expect((await registry.seen(connection)).map((row) => row.package)).toEqual([
      'acme/one',
      'acme/two',
      'acme/plain',
      null,
    ]);
    expect(await registered(registry)).toEqual(['mono ["packages/*"]', 'named ["packages/*"]', 'plain "root"']);
    expect(await changed(registry, connection, ['tools/?/c[kl]i'])).toEqual([
      'mono ["tools/?/c[kl]i"]',
      'named "root"',
      'plain "root"',
    ]);
  });
});

describe('folders that are packages', () => {
  it('of a repository follow the connection, unless a person gave it others', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    const folders = { 'packages/a': { name: 'acme/a' }, 'packages/b': { name: 'acme/b' } };
    for (const [at, name] of ['followed', 'own'].entries())
      forge.repositories.push({ id: String(at + 1), name, composer: { name: `acme/${name}` }, folders });
    const connection = await registry.connect('github', forge);
    await registry.refresh(connection);
    expect(await registered(registry)).toEqual(['followed "root"', 'own "root"']);
    const own = (await registry.repositories.list()).find(({ url }) => url.endsWith('/own.git'));
    await registry.repositories.update(own?.id ?? '', { filters: { subdirectories: ['packages/a'] } });
    expect(await changed(registry, connection, ['packages/*'])).toEqual([
      'followed ["packages/*"]',
      'own ["packages/a"]',
    ]);
    forge.requests.length = 0;
    await registry.refresh(connection);
    expect(forge.requests, 'nothing is looked up again').toHaveLength(1);
    expect(await changed(registry, connection, null)).toEqual(['followed "root"', 'own ["packages/a"]']);
  });

  it('are none in a connection that an older version stored, and a wrong pattern is refused', async () => {
    await using forge = await startGitHub();
    await using registry = await connectedRegistry();
    const { id } = await registry.connect('github', forge, { subdirectories: ['packages/*'] });
    const stored = await registry.state.get(connectionKey(id));
    const { subdirectories: _later, ...older } = isJsonObject(stored?.value) ? stored.value : {};
    const puts = [{ key: connectionKey(id), value: older }];
    await registry.state.commit({ conditions: [], puts, deletes: [] });
    expect((await registry.connections.get(id)).subdirectories).toBeNull();
    await expect(registry.connections.update(id, { subdirectories: ['../up'] })).rejects.toMatchObject({
      details: { issues: [{ path: 'subdirectories', message: '"../up" is no pattern' }] },
    });
  });
});
