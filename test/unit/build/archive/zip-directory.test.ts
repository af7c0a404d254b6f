// Tests the reader of stored ZIPs where an archive has several entries of one path.

import { writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { readZipDirectory } from '../../../../build/archive/zip-directory.ts';
import { zipOf } from '../../../util/hostile-zip.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('zip-directory');
afterAll(() => folder.remove());

it('entries of one path are one file if they have the same bytes, and an error otherwise', () => {
  const path = folder.at('a.zip');
  const first = { name: 't/src/A.php', data: 'hello' };
  writeFileSync(path, zipOf([first, { name: 't/src/./A.php', data: 'hello', stored: true }, { name: 't/src/' }]));
  expect([...readZipDirectory(path)].map(([name, file]) => `${name}: ${file.read().toString()}`)).toEqual([
    't/src/A.php: hello',
  ]);
  writeFileSync(path, zipOf([first, { name: 't//src/A.php', data: Buffer.from('29631db76e', 'hex') }])); // of one CRC-32
  expect(() => readZipDirectory(path)).toThrow('it has two contents of "t/src/A.php"');
});
