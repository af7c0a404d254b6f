// Tests damaged trees that were built elsewhere: receive refuses them and changes nothing.

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wholeTree } from '../../../util/published-tree.ts';
import { receivingRegistry, type ReceivingRegistry } from '../../../util/receiving-registry.ts';

let registry: ReceivingRegistry;
beforeEach(() => {
  registry = receivingRegistry();
});
afterEach(() => registry[Symbol.asyncDispose]());

describe('receive refuses a tree, and changes nothing, for:', () => {
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  const damages: Readonly<Record<string, readonly [damage: (tree: string) => void, says: string]>> = {
    'no such folder': [(tree) => rmSync(tree, { recursive: true }), 'does not exist'],
    'an empty folder': [
      (tree) => (rmSync(tree, { recursive: true }), mkdirSync(tree)),
      'index/_publication.json is missing',
    ],
    'its public/ alone': [
      (tree) => rmSync(join(tree, 'index'), { recursive: true }),
      'index/_publication.json is missing',
    ],
    'no announcement': [(tree) => rmSync(join(tree, 'index/_publication.json')), '_publication.json is missing'],
    'another packages.json': [
      (tree) => writeFileSync(join(tree, 'public/packages.json'), '{"available-packages": []}\n'),
      'packages.json is not the one',
    ],
    'a document that is cut off': [
      (tree) => writeFileSync(join(tree, 'public/p2/acme/hello.json'), '{"pack'),
      'hello.json is not the one',
    ],
    'a missing document': [(tree) => rmSync(join(tree, 'public/p2/acme/hello.json')), 'hello.json is missing'],
    'a missing index': [(tree) => rmSync(join(tree, 'index/acme/hello.json')), 'index/acme/hello.json is missing'],
    'a damaged index': [
      (tree) => writeFileSync(join(tree, 'index/acme/hello.json'), 'secret of another file'),
      'index/acme/hello.json is damaged',
    ],
    'a missing archive': [(tree) => rmSync(join(tree, 'public/dist/acme/hello/2.0.0.zip')), '2.0.0.zip is missing'],
    'an archive that is cut off': [
      (tree) => writeFileSync(join(tree, 'public/dist/acme/hello/2.0.0.zip'), 'PK'),
      '2 bytes instead of',
    ],
    'a flipped bit in an archive': [
      (tree) => flip(join(tree, 'public/dist/acme/hello/2.0.0.zip')),
      'does not have the SHA-1',
    ],
    'a newer format': [
      (tree) =>
        writeFileSync(
          join(tree, 'index/_publication.json'),
          readFileSync(join(tree, 'index/_publication.json'), 'utf8').replace('"format": 1', '"format": 999'),
        ),
      'newer version of Libretto',
    ],
    'a symbolic link that leads out of it': [
      (tree) => (
        renameSync(join(tree, 'public/p2'), join(tree, 'p2')),
        symlinkSync(join(tree, 'p2'), join(tree, 'public/p2'))
      ),
      'symbolic link',
    ],
  };

  for (const [what, [damage, says]] of Object.entries(damages)) {
    it(what, async () => {
      registry.put('1.0.0');
      await registry.receive(await registry.sent());
      const before = [wholeTree(registry.data), readFileSync(join(registry.data, 'index/_publication.json'), 'utf8')];
      registry.put('2.0.0');
      registry.put('1.0.0', 'a', 'acme/other');
      const tree = await registry.sent();
      damage(tree);
      const error = await registry.receive(tree).then(
        () => new Error('it was received'),
        (thrown: unknown) => thrown as Error,
      );
      expect([error.name, error.message]).toEqual(['BuildRefused', expect.stringContaining(says) as string]);
      expect(error.message).not.toContain('secret');
      expect([wholeTree(registry.data), readFileSync(join(registry.data, 'index/_publication.json'), 'utf8')]).toEqual(
        before,
      );
      expect(await registry.receive(registry.copied('incoming'))).toMatchObject({
        added: [{ version: '2.0.0' }, { version: '1.0.0' }],
        quarantined: [],
      });
    });
  }

  it('a tree inside the data folder, and the data folder itself', async () => {
    registry.put('1.0.0');
    await registry.receive(await registry.sent());
    cpSync(registry.folder.at('incoming'), join(registry.data, 'incoming'), { recursive: true });
    await expect(registry.receive(join(registry.data, 'incoming'))).rejects.toThrow('inside the data folder');
    await expect(registry.receive(registry.data)).rejects.toThrow('data folder');
    expect(statSync(registry.data).isDirectory()).toBe(true);
  });
});
