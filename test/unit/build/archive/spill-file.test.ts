// Tests the scratch file that holds the deflated pieces beyond the memory limit.

import { readdirSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { copyPiece } from '../../../../build/archive/shared-pieces.ts';
import { createSpillFile } from '../../../../build/archive/spill-file.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

const folders: TemporaryFolder[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => folder.remove())));

function scratchFolder(): TemporaryFolder {
  const folder = temporaryFolder('scratch');
  folders.push(folder);
  return folder;
}

describe('the scratch file', () => {
  it('stored pieces come back the same from memory and from the file', () => {
    const folder = scratchFolder();
    const scratch = createSpillFile({ directory: folder.at('made/later'), slabBytes: 100, slabsInMemory: 2 });
    const contents = Array.from({ length: 60 }, (_, index) => Buffer.alloc((index * 37) % 140, index + 1));
    const offsets = contents.map((content) => scratch.append(content));
    for (const [index, content] of contents.entries()) {
      const out = Buffer.alloc(content.length + 4, 0xee);
      const offset = offsets[index]!;
      copyPiece(scratch.share([offset]), { offset, length: content.length }, out, 2);
      expect(out).toEqual(Buffer.concat([Buffer.alloc(2, 0xee), content, Buffer.alloc(2, 0xee)]));
    }
    expect(readdirSync(folder.at('made/later'))).toHaveLength(1);
    scratch.close();
    expect(readdirSync(folder.at('made/later'))).toEqual([]);
  });

  it('a part of a stored piece can be read', () => {
    const scratch = createSpillFile({ directory: scratchFolder().path, slabBytes: 8, slabsInMemory: 1 });
    const [spilled, large, kept] = [
      scratch.append(Buffer.from('abcdefgh')),
      scratch.append(Buffer.from('0123456789')),
      scratch.append(Buffer.from('ABCD')),
    ];
    const part = (offset: number): string => {
      const out = Buffer.alloc(2);
      copyPiece(scratch.share([offset]), { offset, length: 2 }, out, 0);
      return out.toString();
    };
    expect([part(spilled + 3), part(large + 7), part(kept + 1)]).toEqual(['de', '78', 'BC']);
    scratch.close();
  });

  it('no file is created while everything fits into memory', () => {
    const folder = scratchFolder();
    const scratch = createSpillFile({ directory: folder.path });
    scratch.append(Buffer.alloc(1000));
    expect(readdirSync(folder.path)).toEqual([]);
    scratch.close();
  });

  it('the error of a full disk names the scratch file', () => {
    const folder = scratchFolder();
    writeFileSync(folder.at('file'), '');
    const scratch = createSpillFile({ directory: folder.at('file'), slabBytes: 10, slabsInMemory: 1 });
    expect(() => scratch.append(Buffer.alloc(11))).toThrow(folder.at('file', 'pieces-'));
    scratch.close();
  });
});
