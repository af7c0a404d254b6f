// Tests the refusal of hostile ZIPs: each sample has one fault, and the message names the fault and the entry.

import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { crc32, deflateRawSync } from 'node:zlib';
import { admitZip } from '../../../../../build/archive/zip-admission/admit-zip.ts';
import { defaultZipLimits, type ZipLimits } from '../../../../../build/archive/zip-admission/zip-limits.ts';
import type { QuarantineError } from '../../../../../build/contract/quarantine.ts';
import {
  extraField,
  numbersOf,
  wide,
  words,
  zipOf,
  type EntrySpec,
  type ZipSpec,
} from '../../../../util/hostile-zip.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('hostile-zip');
afterAll(() => folder.remove());

const composerJson: EntrySpec = { name: 'composer.json', data: '{"name": "acme/hello"}' };
const a: EntrySpec = { name: 'a.php', data: '<?php echo "a";' };

async function refusal(bytes: Buffer, limits: Partial<ZipLimits> = {}): Promise<string> {
  const path = folder.at('hostile.zip');
  writeFileSync(path, bytes);
  const error = await admitZip(path, { ...defaultZipLimits, ...limits }).then(
    () => undefined,
    (thrown: QuarantineError) => thrown,
  );
  return error === undefined ? 'admitted' : `${error.code}: ${error.message}`;
}

const withEntry = (entry: EntrySpec, spec?: ZipSpec): Buffer => zipOf([composerJson, entry], spec);
const link = (name: string, target: string): EntrySpec => ({ name, data: target, stored: true, mode: 0o120777 });
const megabytes = (count: number): Buffer => Buffer.alloc(count * 1024 * 1024, 'x');

describe('row 62: paths', () => {
  it.each([
    ['../evil.php', '".." segment'],
    ['a/../../evil.php', '".." segment'],
    ['./a.php', '"." segment'],
    ['/etc/passwd', 'absolute'],
    ['C:evil.php', 'drive letter'],
    ['C:\\evil.php', 'backslash'],
    ['a\\..\\evil.php', 'backslash'],
    ['a\0.php', 'control character'],
    ['a\n.php', 'control character'],
    ['a//b.php', 'empty segment'],
    ['/', 'empty'],
    ['', 'empty'],
    [`${'d/'.repeat(2050)}a.php`, 'longer than'],
  ])('an entry with the path %j is refused', async (name, fault) => {
    const found = await refusal(withEntry({ name, ...(name.endsWith('/') ? {} : { data: 'x' }) }));
    expect(found).toMatch(/^ARCHIVE_UNSAFE: /);
    expect(found).toContain(JSON.stringify(name.replace(/\/$/, '')).slice(0, 100));
    expect(found).toContain(fault);
  });

  it('a path that is not UTF-8 is refused', async () =>
    expect(await refusal(withEntry({ name: Buffer.from([0x61, 0xff]), data: 'x' }))).toMatch(
      /ARCHIVE_UNSAFE.*not UTF-8/,
    ));

  it('a path with another path in an extra field is refused', async () => {
    const sum = crc32(Buffer.from('b.php'));
    const field = (version: number, checksum: number, path: string): Buffer =>
      extraField(0x7075, Buffer.concat([Buffer.from([version]), words(checksum), Buffer.from(path)]));
    const refused = /ARCHIVE_UNSAFE.*"b.php" has a second name/;
    const evil = field(1, sum, '../evil.php');
    for (const where of ['both', 'local', 'central'])
      expect(await refusal(withEntry({ name: 'b.php', data: 'x', [where]: { extra: evil } }))).toMatch(
        /ARCHIVE_UNSAFE.*"b.php" has a second name.*\.\.\/evil/,
      );
    for (const extra of [field(0, sum, 'l'), field(2, sum, 'l'), field(1, 7, 'l'), field(1, sum, '')])
      expect(await refusal(withEntry({ name: 'b.php', data: 'x', central: { extra } }))).toMatch(refused);
  });
});

describe('row 64: entries whose names collide', () => {
  it.each([
    ['the same twice', ['b.php', 'b.php'], 'holds the entry "b.php" twice'],
    ['in case', ['src/B.php', 'src/b.php'], 'the same file on macOS and Windows'],
    ['in folders that differ in case', ['Src/b.php', 'src/b.php'], 'the same file on macOS and Windows'],
    ['in how an accent is written', ['b\u00e9.php', 'be\u0301.php'], 'the same file on macOS and Windows'],
    ['in dots at the end', ['b', 'b.'], 'the same file on macOS and Windows'],
    ['a file where a folder is needed', ['lib', 'lib/b.php'], '"lib" is in the place of a folder'],
    ['a file where a folder is needed, but for case', ['Lib', 'lib/b.php'], '"Lib" is in the place of a folder'],
    ['a file that is a folder too', ['lib', 'lib/'], '"lib" is in the place of a folder'],
  ])('a ZIP with colliding names is refused: %s', async (_what, [one = '', other = ''], fault) => {
    const found = await refusal(
      zipOf([composerJson, { name: one, data: '1' }, { name: other, ...(other.endsWith('/') ? {} : { data: '2' }) }]),
    );
    expect(found).toMatch(/^ARCHIVE_UNSAFE: /);
    expect(found).toContain(fault);
  });
});

describe('row 64: kinds of entries', () => {
  it.each([
    ['a leaving symlink', link('l', '../../etc/passwd'), 'leaves the package'],
    ['an absolute symlink', link('l', '/etc/passwd'), 'absolute'],
    ['a dangling symlink', link('l', 'nowhere'), 'nothing it points at'],
    ['a circular symlink', link('l', 'l'), 'more than 40 links, as a circle does'],
    ['a symlink without a target', link('l', ''), '"l"'],
    ['a symlink as long as a file', link('l', 'x'.repeat(5000)), 'symlink of 5000 bytes'],
    ['a device', { name: 'd', mode: 0o020644 }, 'is a device'],
    ['a FIFO', { name: 'd', mode: 0o010644 }, 'is a device, a pipe'],
    ['a folder by its mode', { name: 'd', mode: 0o040755 }, 'folder by its mode and a file by its name'],
    ['a symlink that ends in a slash', { name: 'd/', mode: 0o120777 }, 'symlink by its mode'],
    ['a folder with content', { name: 'd/', data: 'x' }, 'folder with content'],
    [
      'a link in an extra field',
      { name: 'd', data: 'x', both: { extra: extraField(0x756e, Buffer.alloc(14)) } },
      '0x756e',
    ],
  ] as [string, EntrySpec, string][])('a ZIP is refused for %s', async (_what, entry, fault) => {
    const found = await refusal(withEntry(entry));
    expect(found).toMatch(/^ARCHIVE_UNSAFE: /);
    expect(found).toContain(fault);
  });

  it('a symlink that leaves the only top folder, which Composer takes for the package, is refused', async () => {
    const top = [{ ...composerJson, name: 'top/composer.json' }, link('top/l', '../top/composer.json')];
    expect(await refusal(zipOf(top))).toMatch(/ARCHIVE_UNSAFE.*"l" → .*leaves the package/);
  });

  it('an empty folder beside the only other folder is at the top, as Composer sees it, and .DS_Store is not', async () => {
    const top = { ...composerJson, name: 'top/composer.json' };
    const rootBeside = async (name: string): Promise<string> => {
      writeFileSync(folder.at('tops.zip'), zipOf([top, { name }]));
      return (await admitZip(folder.at('tops.zip'))).root;
    };
    expect([await rootBeside('empty/'), await rootBeside('top/'), await rootBeside('.DS_Store/x')]).toEqual([
      '',
      'top/',
      'top/',
    ]);
  });

  it('an entry below a symlink is refused', async () => {
    expect(
      await refusal(
        zipOf([composerJson, link('l', 'src'), { name: 'src/a', data: '' }, { name: 'l/evil', data: 'x' }]),
      ),
    ).toMatch(/ARCHIVE_UNSAFE.*"l" is in the place of a folder that "l\/evil" needs/);
  });
});

describe('row 63: bombs', () => {
  it('a bomb of one entry is refused', async () =>
    expect(await refusal(withEntry({ name: 'b', data: megabytes(20) }))).toMatch(
      /ARCHIVE_UNSAFE.*"b" claims to unpack to more than 100 times/,
    ));

  it('a bomb that claims to be small is refused', async () => {
    const packed = deflateRawSync(megabytes(20));
    expect(await refusal(withEntry({ name: 'b', packed, both: { method: 8, size: 100, crc32: 1 } }))).toMatch(
      /ARCHIVE_UNSAFE.*"b" holds more than the 100 bytes it claims/,
    );
    const claimed = 2 * 1024 * 1024 - 1;
    expect(
      await refusal(withEntry({ name: 'b', packed, both: { method: 8, size: claimed, crc32: 1 } }), { ratio: 2000 }),
    ).toMatch(/ARCHIVE_UNSAFE.*"b" holds more than/);
  });

  it('a bomb that claims to be large is refused', async () => {
    expect(await refusal(withEntry({ name: 'b', data: 'xyz', both: { size: 4 } }))).toMatch(
      /ARCHIVE_UNSAFE.*holds 3 bytes where it claims 4/,
    );
    expect(await refusal(withEntry({ name: 'b', data: 'xyz', stored: true, both: { size: 4 } }))).toMatch(
      /ARCHIVE_UNREADABLE.*mismatch for stored/,
    );
  });

  it('a ZIP whose entries together are too large is refused', async () =>
    expect(
      await refusal(zipOf([composerJson, { name: 'b', data: megabytes(1) }, { name: 'c', data: megabytes(1) }]), {
        contentBytes: 2 * 1024 * 1024,
      }),
    ).toMatch(/ARCHIVE_UNSAFE.*unpacks to 2097\d+ bytes; it may/));

  it('a ZIP file that is too large is refused', async () =>
    expect(await refusal(withEntry(a), { archiveBytes: 100 })).toMatch(
      /ARCHIVE_UNSAFE: The archive has \d+ bytes; it may have 100/,
    ));

  it('a ZIP with too many entries is refused', async () => {
    const many = Array.from({ length: 20_001 }, (_, index): EntrySpec => ({ name: `f${index}` }));
    expect(await refusal(zipOf(many))).toMatch(/ARCHIVE_UNSAFE.*holds 20001 entries; the maximum is 20000/);
    const marked = { here: 0xffff, entries: 0xffff };
    expect(await refusal(zipOf([a], { end: marked, zip64: { entries: 70_000 } }))).toMatch(
      /ARCHIVE_UNSAFE.*holds 70000 entries; the maximum is 20000/,
    );
  });

  it('a ZIP whose entries share their bytes is refused', async () => {
    const kernel = { name: 'b', data: megabytes(1) };
    expect(
      await refusal(
        zipOf([
          composerJson,
          kernel,
          { ...kernel, name: 'c', listedOnly: true, central: { offset: zipOf([composerJson]).length - 22 - 59 } },
        ]),
      ),
    ).toMatch(/ARCHIVE_UNSAFE.*overlap/);
  });

  it('a ZIP with one entry inside another entry is refused', async () => {
    const inner = zipOf([{ name: 'i', data: 'inner' }]);
    const outer: EntrySpec = { name: 'outer', data: inner, stored: true };
    const offset = zipOf([composerJson]).length - 22 - (46 + 13) + 30 + 5;
    expect(
      await refusal(zipOf([composerJson, outer, { name: 'i', data: 'inner', listedOnly: true, central: { offset } }])),
    ).toMatch(/ARCHIVE_UNSAFE.*"outer" overlaps/);
  });

  it('a ZIP with an oversized directory is refused', async () =>
    expect(await refusal(withEntry(a), { directoryBytes: 50 })).toMatch(/ARCHIVE_UNSAFE.*directory of 1\d\d bytes/));
});

describe('row 64: ZIPs that two readers read differently', () => {
  it.each([
    ['another name', { local: { name: Buffer.from('b.php') } }, '"a.php" is called "b.php" in its own header'],
    ['another method', { local: { method: 0 } }, 'differs from the directory'],
    ['another checksum', { local: { crc32: 7 } }, 'differs from the directory'],
    ['another size', { local: { size: 7 } }, 'differs from the directory'],
    ['no size, and none to come', { local: { size: 0, compressedSize: 0, crc32: 0 } }, 'differs from the directory'],
    [
      'another size, and one to come',
      { local: { size: 7, flags: 0x0808 }, descriptor: words(1, 2, 3) },
      'differs from the directory',
    ],
    ['encryption in one of them', { local: { flags: 0x0801 } }, 'differs from the directory'],
    [
      'a wrong descriptor',
      {
        both: { flags: 0x0808 },
        local: { size: 0, compressedSize: 0, crc32: 0 },
        descriptor: words(0x08074b50, 1, 2, 3),
      },
      'differs from the directory',
    ],
    [
      'no descriptor',
      { both: { flags: 0x0808 }, local: { size: 0, compressedSize: 0, crc32: 0 } },
      'belong to no entry',
    ],
    [
      'a size in 64 bits, another in 32',
      { local: { size: 0xffffffff, compressedSize: 0xffffffff, extra: extraField(1, wide(1, 2)) } },
      'differs from the directory',
    ],
    [
      'the same extra field twice',
      { both: { extra: Buffer.concat([extraField(1, wide(1)), extraField(1, wide(2))]) } },
      'same extra field twice',
    ],
    ['bytes behind the data', { descriptor: Buffer.from('hidden') }, 'belong to no entry'],
    [
      'bytes behind the end of what is deflated',
      { packed: Buffer.concat([deflateRawSync('<?php echo "a";'), Buffer.from('hidden')]) },
      'behind its data that no unpacker looks at',
    ],
  ] as [string, Partial<EntrySpec>, string][])('an ambiguous entry is refused: %s', async (_what, change, fault) => {
    const found = await refusal(zipOf([{ ...a, ...change }, composerJson]));
    expect(found).toMatch(/^ARCHIVE_UNSAFE: /);
    expect(found).toContain(fault);
  });

  it.each([
    ['bytes in front', [composerJson], { before: Buffer.from('#!/bin/sh\n') }, 'in front of its entry "composer.json"'],
    [
      'bytes in front that nobody counts',
      [composerJson],
      { before: Buffer.from('#!/bin/sh\n'), unadjusted: true },
      'in front of it',
    ],
    ['bytes behind the end', [composerJson], { after: Buffer.from('x') }, 'bytes behind its end'],
    ['a whole archive behind the end', [composerJson], { after: zipOf([a]) }, 'in front of it'],
    ['bytes behind the entries', [composerJson], { between: Buffer.from('x') }, 'belong to no entry'],
    [
      'bytes behind the directory',
      [composerJson],
      { beforeEnd: Buffer.from('x') },
      'between its directory and its end',
    ],
    ['an entry that is not listed', [composerJson, { ...a, unlisted: true }], {}, 'belong to no entry'],
    ['an unlisted entry in front', [{ ...a, unlisted: true }, composerJson], {}, 'in front of its entry'],
    [
      'an entry that is listed but not counted',
      [composerJson, a],
      { end: { here: 1, entries: 1 } },
      'more in its directory',
    ],
    [
      'an end in the comment',
      [composerJson],
      { comment: Buffer.concat([Buffer.alloc(30), words(0x06054b50), Buffer.alloc(50)]) },
      'behind its end',
    ],
    ['a ZIP64 end of other numbers', [composerJson], { zip64: { entries: 2 } }, 'differs from its end record'],
    ['a ZIP64 end of another directory', [composerJson], { zip64: { offset: 7 } }, 'differs from its end record'],
    ['a ZIP64 end elsewhere', [composerJson], { zip64: { at: 0 } }, 'not where unpackers look for it'],
    ['a ZIP64 locator alone', [composerJson], { beforeEnd: words(0x07064b50, 0, 0, 0, 1) }, 'not where unpackers'],
    [
      'bytes before a ZIP64 end',
      [composerJson],
      { beforeEnd: Buffer.from('x'), zip64: {} },
      'between its directory and its end',
    ],
  ] as [string, EntrySpec[], ZipSpec, string][])(
    'an ambiguous ZIP is refused: %s',
    async (_what, entries, spec, fault) => {
      const found = await refusal(zipOf(entries, spec));
      expect(found).toMatch(/^ARCHIVE_UNSAFE: /);
      expect(found).toContain(fault);
    },
  );
});

describe('row 64: unreadable ZIPs', () => {
  const whole = zipOf([composerJson, a]);
  it.each([
    ['no ZIP', Buffer.from('<html>Not found</html>'.repeat(10)), 'not a ZIP file'],
    ['nothing', Buffer.alloc(0), 'not a ZIP file'],
    ['a ZIP that is cut off', whole.subarray(0, -30), 'not a ZIP file'],
    ['a ZIP whose start is gone', whole.subarray(20), 'truncated or damaged'],
    ['an encrypted entry', zipOf([composerJson, { ...a, both: { flags: 0x0801 } }]), '"a.php" is encrypted'],
    ['an entry encrypted strongly', zipOf([composerJson, { ...a, both: { flags: 0x0841 } }]), 'encrypt'],
    ['another method', zipOf([composerJson, { ...a, both: { method: 12 } }]), 'compressed by method 12'],
    ['a wrong checksum', zipOf([composerJson, { ...a, both: { crc32: 7 } }]), '"a.php" is damaged: its checksum'],
    [
      'a flipped bit in a stored entry',
      Buffer.from(
        zipOf([{ ...composerJson, stored: true }])
          .toString('latin1')
          .replace('hello', 'jello'),
        'latin1',
      ),
      '"composer.json" is damaged',
    ],
    [
      'data that cannot be inflated',
      zipOf([composerJson, { ...a, packed: Buffer.from([0xff, 0xff, 0xff]) }]),
      '"a.php" is damaged: it cannot be inflated',
    ],
    [
      'data that ends too early',
      zipOf([composerJson, { ...a, packed: deflateRawSync('<?php echo "a";').subarray(0, -4) }]),
      '"a.php" is damaged',
    ],
    ['one of several disks', zipOf([a], { end: { disk: 1 } }), 'one part of several'],
    ['a directory elsewhere', zipOf([a], { end: { offset: 1_000_000 } }), 'directory is not at the position'],
    [
      'no header where one is due',
      Buffer.concat([Buffer.from('XX'), whole.subarray(2)]),
      '"composer.json" does not begin where',
    ],
  ])('an unreadable file is refused: %s', async (_what, bytes, fault) => {
    const found = await refusal(bytes);
    expect(found).toMatch(/^ARCHIVE_UN(?:READABLE|SAFE): /);
    expect(found).toContain(fault);
  });

  it('a ZIP without files is refused', async () => {
    expect(await refusal(zipOf([]))).toMatch(/^EMPTY_ARCHIVE/);
    expect(await refusal(zipOf([{ name: 'src/' }]))).toMatch(/^EMPTY_ARCHIVE/);
  });

  it('a folder called .zip and a missing file are unreadable', async () => {
    await expect(admitZip(folder.path)).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
    await expect(admitZip(folder.at('missing.zip'))).rejects.toMatchObject({ code: 'UNREADABLE_FILE' });
  });
});

it('the sizes and checksum of a valid entry are those of its data', () =>
  expect(numbersOf(a)).toMatchObject({ size: 15, crc32: crc32(Buffer.from('<?php echo "a";')) }));
