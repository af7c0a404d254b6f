// Tests a tree that is published while it is served: the next request sees the publication, and none sees half of it.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runProxy } from '../util/running-proxy.ts';
import { referenceOf, zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';

const one: VersionSpec = { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('one') };
const two: VersionSpec = { version: '2.0.0', normalized: '2.0.0.0', zip: zipBytes('two') };
const branch = (content: string): VersionSpec => ({
  version: 'dev-main',
  normalized: 'dev-main',
  zip: zipBytes(content),
});

/** The proxy checks for a publication at most every few milliseconds. */
const aLook = 20;

describe('a publication', () => {
  it('is served at once: list, document, archive and health, without a restart', async () => {
    await using served = await runProxy();
    served.tree.put('acme/hello', [one]);
    served.tree.publish();
    const before = [await served.get('/packages.json'), await served.get('/p2/acme/hello.json')];
    expect((await served.get('/dist/acme/hello/2.0.0.zip')).status).toBe(404);

    served.tree.put('acme/hello', [two, one]);
    served.tree.put('acme/other', [one]);
    served.tree.publish();
    await sleep(aLook);
    const after = [await served.get('/packages.json'), await served.get('/p2/acme/hello.json')];
    expect(after[0]?.json()['available-packages']).toEqual(['acme/hello', 'acme/other']);
    expect(JSON.stringify(after[1]?.json())).toContain('2.0.0');
    for (const at of [0, 1]) expect(after[at]?.headers['last-modified']).not.toBe(before[at]?.headers['last-modified']);
    expect((await served.get('/dist/acme/hello/2.0.0.zip')).body.equals(two.zip)).toBe(true);
    expect((await served.get('/health')).json()).toMatchObject({ status: 'ok', tree: 'ok' });
  });

  it('a publication of a newer Libretto is not served: cached files stay in use, and health and log report it', async () => {
    await using served = await runProxy();
    served.tree.put('acme/hello', [one]);
    served.tree.publish();
    const list = async (): Promise<unknown> => (await served.get('/packages.json')).json()['available-packages'];
    expect(await list()).toEqual(['acme/hello']);

    const publication = { format: 3, serial: 2 };
    served.tree.put('acme/other', [one]);
    served.tree.publish();
    served.tree.write('index/_publication.json', JSON.stringify(publication));
    await sleep(aLook);
    expect(await list()).toEqual(['acme/hello']);
    expect((await served.get('/dist/acme/hello/1.0.0.zip')).body.equals(one.zip)).toBe(true);
    expect((await served.get('/health')).json()).toMatchObject({ status: 'degraded', tree: 'unreadable' });
    const logLines = served.lines.filter(({ msg }) => msg === 'a newer version of Libretto has published');
    expect(logLines).toMatchObject([
      {
        level: 50,
        err: {
          message: expect.stringContaining(
            'Use the newer version here too, or restore a backup from before the upgrade. Then start this server again.',
          ) as string,
        },
      },
    ]);

    served.tree.publish();
    await sleep(aLook);
    expect(await list()).toEqual(['acme/hello', 'acme/other']);
    expect((await served.get('/health')).json()).toMatchObject({ status: 'ok' });
  });

  it('leaves unchanged documents as they were, with their ETags', async () => {
    await using served = await runProxy();
    served.tree.put('acme/hello', [one]);
    served.tree.publish();
    const before = await served.get('/p2/acme/hello.json', { 'accept-encoding': 'gzip' });
    served.tree.write(
      'index/_publication.json',
      '{"format":1,"serial":9,"published_at":"2026-02-01T00:00:00Z","root":{"last_modified":1,"sha256":""},"sources":[]}',
    );
    await sleep(aLook);
    const after = await served.get('/p2/acme/hello.json', {
      'accept-encoding': 'gzip',
      'if-none-match': before.headers['etag'] ?? '',
    });
    expect(after.status).toBe(304);
  });

  it('that is half done serves every archive of its metadata, because the index is read again before a 404', async () => {
    await using served = await runProxy();
    served.tree.put('acme/hello', [one]);
    served.tree.publish();
    expect((await served.get('/dist/acme/hello/1.0.0.zip')).status).toBe(200);
    served.tree.writeArchives('acme/hello', [two, one]);
    served.tree.writeIndex('acme/hello', [two, one]); // p2, packages.json and the publication are not written yet
    expect((await served.get('/dist/acme/hello/2.0.0.zip')).body.equals(two.zip)).toBe(true);
  });

  it('row 58: of a moved branch keeps the older content under its reference', async () => {
    await using served = await runProxy();
    const [before, after] = [branch('before'), branch('after')];
    served.tree.put('acme/hello', [before]);
    served.tree.publish();
    expect((await served.get(`/dist/acme/hello/dev-main.zip?ref=${referenceOf(before)}`)).body.equals(before.zip)).toBe(
      true,
    );
    served.tree.put('acme/hello', [after, { ...before, state: 'superseded' }]);
    served.tree.publish();
    await sleep(aLook);
    expect((await served.get('/dist/acme/hello/dev-main.zip')).body.equals(after.zip)).toBe(true);
    expect((await served.get(`/dist/acme/hello/dev-main.zip?ref=${referenceOf(before)}`)).body.equals(before.zip)).toBe(
      true,
    );
    expect((await served.get(`/dist/acme/hello/dev-main.zip?ref=${referenceOf(after)}`)).body.equals(after.zip)).toBe(
      true,
    );
  });

  it('that replaces the bytes of a release on purpose never sends them under the old checksum', async () => {
    await using served = await runProxy();
    const again = { ...one, zip: zipBytes('one again') };
    served.tree.put('acme/hello', [one]);
    served.tree.publish();
    expect((await served.get('/dist/acme/hello/1.0.0.zip')).body.equals(one.zip)).toBe(true);
    served.tree.put('acme/hello', [again]);
    served.tree.publish();
    await sleep(aLook);
    const reply = await served.get('/dist/acme/hello/1.0.0.zip');
    expect(reply.body.equals(again.zip)).toBe(true);
  });

  it('during many requests gives each request one complete version', async () => {
    await using served = await runProxy({ tokens: { reader: 0 } });
    const versions = Array.from({ length: 30 }, (_, at): VersionSpec => ({
      version: `${at + 1}.0.0`,
      normalized: `${at + 1}.0.0.0`,
      zip: zipBytes(`v${at}`),
    }));
    let published = 0;
    const publish = (): void => {
      published += 1;
      served.tree.put('acme/hello', versions.slice(0, published).toReversed());
      served.tree.publish();
    };
    publish();
    const client = async (): Promise<void> => {
      let newest = 0;
      while (published < versions.length) {
        const document = await served.get('/p2/acme/hello.json');
        const names = Object.keys((document.json()['packages'] as Record<string, object>)['acme/hello'] ?? {});
        expect(names.length).toBeGreaterThanOrEqual(newest);
        newest = names.length;
        const version = names[0] ?? '';
        const archive = await served.get(`/dist/acme/hello/${version}.zip`);
        expect([
          version,
          archive.status,
          archive.body.equals(versions[Number.parseInt(version, 10) - 1]?.zip ?? Buffer.alloc(0)),
        ]).toEqual([version, 200, true]);
      }
    };
    const clients = Array.from({ length: 6 }, client);
    while (published < versions.length) {
      await sleep(7);
      publish();
    }
    await Promise.all(clients);
  });
});
