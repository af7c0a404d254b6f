// Tests purges over HTTP: a second request confirms a purge, and only callers who could see the version are informed.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../../proxy/state/audit.ts';
import { filesWithSecret, leakedSecret as secret, packageContaining } from '../../util/leaked-version.ts';
import { temporaryTree, type TemporaryTree } from '../../util/package-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let sources: TemporaryTree;
const as: Record<'reader' | 'admin' | 'maintainer' | 'limited', string> = {
  reader: '',
  admin: '',
  maintainer: '',
  limited: '',
};
const path = '/api/packages/acme/hello/versions/1.1.0/purge';
const confirmed = `${path}?confirm=acme%2Fhello%201.1.0`;
const body = { reason: 'secret', note: 'a key' };
const dist = (who: string, target = '/dist/acme/hello/1.1.0.zip'): Promise<Reply> =>
  registry.call('GET', target, { as: who });

beforeAll(async () => {
  registry = await runManagement();
  as.reader = await registry.createToken('read');
  [as.admin, as.maintainer] = [(await registry.signIn('admin')).token, (await registry.signIn('maintainer')).token];
  const { secret: limited } = await registry.services.tokensOf('cli:test').create({
    description: 'sees 1.0',
    kind: 'read',
    limits: { packages: null, constraints: { 'acme/*': '<1.1' }, stability: null, not_after: null, networks: null },
  });
  as.limited = limited.reveal();
  sources = temporaryTree({
    ...packageContaining('src/one', '1.0.0', 'first'),
    ...packageContaining('src/two', '1.1.0', secret),
  });
  const { exitCode, stderr } = await runCli(['build', 'src', '--data', registry.data], { cwd: sources.root });
  if (exitCode !== 0) throw new Error(stderr);
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

describe('POST /api/packages/{vendor}/{package}/versions/{version}/purge', () => {
  it('only admins may purge, and a confirmation that names the version is required', async () => {
    expect((await registry.call('POST', confirmed, { as: as.maintainer, body })).status).toBe(403);
    for (const target of [path, `${path}?confirm=acme%2Fhello`]) {
      const reply = await registry.call('POST', target, { as: as.admin, body });
      expect([reply.status, reply.json()]).toMatchObject([
        400,
        {
          code: 'CONFIRMATION_REQUIRED',
          details: {
            confirm: 'acme/hello 1.1.0',
            contents: [{ version: '1.1.0', state: 'published' }],
            files: ['dist/acme/hello/1.1.0.zip'],
          },
        },
      ]);
    }
    expect((await registry.call('POST', path, { as: as.admin, body: { reason: 'why not' } })).json()).toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect((await registry.call('POST', path.replace('1.1.0', '--config=x'), { as: as.admin, body })).status).toBe(404);
    expect((await dist(as.reader)).status).toBe(200);
  });

  it('the version is removed at once: 410 with the reason for callers who see the version, 404 for others', async () => {
    const reply = await registry.call('POST', confirmed, { as: as.admin, body });
    expect([reply.status, reply.json()]).toMatchObject([
      200,
      {
        name: 'acme/hello',
        version: '1.1.0',
        reason: 'secret',
        serial: 2,
        remains: expect.arrayContaining([expect.stringContaining('Backups')]) as unknown,
      },
    ]);
    expect(filesWithSecret(registry.data)).toEqual([]);
    const gone = await dist(as.reader);
    expect([gone.status, gone.json()]).toEqual([
      410,
      {
        error: expect.stringMatching(
          /^acme\/hello 1\.1\.0 was purged from this registry on \d{4}-\d\d-\d\d \(secret\)/,
        ) as string,
        code: 'VERSION_GONE',
        details: { package: 'acme/hello', version: '1.1.0', reason: 'secret', purged_at: expect.any(String) as string },
      },
    ]);
    expect((await dist(as.reader, '/dist/acme/hello/1.1.0.0.zip?ref=0123456789')).status).toBe(410);
    expect(gone.body.toString()).not.toContain('a key');
    for (const [who, target] of [
      [as.limited, undefined],
      [as.reader, '/dist/acme/hello/9.9.9.zip'],
      [as.reader, '/dist/acme/other/1.1.0.zip'],
    ] as const)
      expect((await dist(who, target)).json()).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      Object.keys(
        (
          JSON.parse((await dist(as.reader, '/p2/acme/hello.json')).body.toString()) as {
            packages: Record<string, object>;
          }
        ).packages['acme/hello'] ?? {},
      ),
    ).toEqual(['1.0.0']);
    expect((await registry.call('GET', '/api/packages/acme/hello', { as: as.reader })).json()).toMatchObject({
      versions: [{ version: '1.0.0' }],
    });
  });

  it('admins see the purge with its note, and the purge has one event', async () => {
    expect((await registry.call('POST', confirmed, { as: as.admin, body })).status).toBe(200);
    expect((await registry.call('GET', '/api/purged-versions', { as: as.admin })).json()).toMatchObject({
      data: [
        {
          name: 'acme/hello',
          version: '1.1.0',
          reason: 'secret',
          note: 'a key',
          purged_by: expect.stringMatching(/^user:usr_/) as string,
        },
      ],
      next_cursor: null,
    });
    expect((await registry.call('GET', '/api/purged-versions', { as: as.reader })).status).toBe(403);
    const events = (await registry.call('GET', '/api/audit?action=package.purge', { as: as.admin })).json() as {
      data: object[];
    };
    expect(events.data).toMatchObject([
      { subject: 'acme/hello', details: { version: '1.1.0', reason: 'secret', note: 'a key' } },
    ]);
    expect(await verifyAudit(registry.state)).toMatchObject({ sound: true });
  });

  it.each([
    ['emptied', (list: string) => writeFileSync(list, '')],
    ['lost', (list: string) => rmSync(list)],
  ])('the version stays removed when the list of tombstones is %s', async (_, damage) => {
    damage(join(registry.data, 'index/_purged.json'));
    const announcement = join(registry.data, 'index/_publication.json');
    // the server reads the list again with the next publication
    writeFileSync(announcement, readFileSync(announcement));
    await expect
      .poll(async () => (await dist(as.reader)).json())
      .toMatchObject({ code: 'VERSION_GONE', details: { version: '1.1.0', reason: 'other' } });
    expect((await registry.call('GET', '/api/purged-versions', { as: as.admin })).json()).toMatchObject({
      data: [{ name: 'acme/hello', version: '1.1.0', reason: 'other' }],
    });
  });
});
