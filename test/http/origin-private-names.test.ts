// Tests the private names of a tree at an origin: the published and the withdrawn names. If they cannot be read, no
// name is answered.

import { describe, expect, it } from 'vitest';
import { formatPublication } from '../../build/contract/publication.ts';
import { serveOrigin, type ServedOrigin } from '../util/origin-server.ts';
import { packageName } from '../util/running-mirror.ts';
import { zipBytes } from '../util/hand-made-tree.ts';

const version = (seed: string) => [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes(seed) }];

async function privateAt(served: ServedOrigin, name: string): Promise<readonly [name: boolean, vendor: boolean]> {
  const names = await served.files.privateNames();
  return [names.has(packageName(name)), names.hasVendor(name.split('/')[0] ?? '')];
}

describe('private names of an origin (I9)', () => {
  it('include the published names, their vendors, and the names of the next publication once it is seen', async () => {
    await using served = await serveOrigin();
    served.tree.put('acme/app', version('app'));
    served.tree.publish();
    expect(await privateAt(served, 'acme/app')).toEqual([true, true]);
    expect(await privateAt(served, 'acme/other')).toEqual([false, true]);
    expect(await privateAt(served, 'some/lib')).toEqual([false, false]);
    served.tree.put('some/lib', version('lib'));
    served.tree.publish();
    await expect.poll(() => privateAt(served, 'some/lib')).toEqual([true, true]);
  });

  it('include the withdrawn names', async () => {
    await using served = await serveOrigin();
    served.tree.put('acme/app', version('app'));
    served.tree.put('gone/lib', version('lib'));
    served.tree.drop('gone/lib');
    served.tree.publish();
    expect(await privateAt(served, 'gone/lib')).toEqual([true, true]);
  });

  it('are requested once for each publication, for all clients together', async () => {
    await using served = await serveOrigin();
    served.tree.put('acme/app', version('app'));
    served.tree.publish();
    await Promise.all(Array.from({ length: 20 }, () => privateAt(served, 'acme/app')));
    expect(served.origin.asked().filter((path) => path === '/public/packages.json')).toHaveLength(1);
  });

  it('stay known while the origin is down; unless known before, no name is answered', async () => {
    await using served = await serveOrigin();
    await served.origin.goAway();
    await expect(privateAt(served, 'some/lib')).rejects.toThrow();
    await served.origin.comeBack();
    served.tree.put('acme/app', version('app'));
    served.tree.publish();
    await expect.poll(() => privateAt(served, 'acme/app').catch(() => undefined)).toEqual([true, true]);
    await served.origin.goAway();
    expect(await privateAt(served, 'acme/app')).toEqual([true, true]);
    expect(await privateAt(served, 'some/lib')).toEqual([false, false]);
    await served.origin.comeBack();
  });

  it('are unknown for a new publication whose list cannot be read, and the former list does not count', async () => {
    await using served = await serveOrigin();
    served.tree.put('acme/app', version('app'));
    served.tree.publish();
    expect(await privateAt(served, 'some/lib')).toEqual([false, false]);
    served.origin.misbehave = (request, response) => {
      if (request.url !== '/public/packages.json') return false;
      response.writeHead(503).end();
      return true;
    };
    served.tree.put('some/lib', version('lib'));
    served.tree.publish();
    await expect
      .poll(() =>
        privateAt(served, 'some/lib').then(
          () => 'known',
          () => 'unknown',
        ),
      )
      .toBe('unknown');
    served.origin.misbehave = () => false;
    await expect.poll(() => privateAt(served, 'some/lib').catch(() => undefined)).toEqual([true, true]);
  });

  it('are unknown for a tree without its list of withdrawn names or without its list of packages', async () => {
    await using served = await serveOrigin();
    await expect(Promise.resolve().then(() => served.files.privateNames())).rejects.toThrow(
      'no other registry is used',
    );
    served.tree.put('acme/app', version('app'));
    served.tree.rootExtras({ 'available-packages': undefined });
    served.tree.publish();
    const refusal = () =>
      Promise.resolve()
        .then(() => served.files.privateNames())
        .then(
          () => '',
          (error: Error) => error.message,
        );
    await expect.poll(refusal).toContain('does not list its packages');
    served.tree.write(
      'index/_publication.json',
      formatPublication({
        format: 1,
        serial: 9,
        published_at: '2026-02-01T00:00:00Z',
        root: { last_modified: 1, sha256: '' },
        sources: [],
      }),
    );
    await expect.poll(refusal).toContain('older version');
    await expect.poll(() => served.notices.map(({ reason }) => reason).join()).toContain('no other registry is used');
  });
});
