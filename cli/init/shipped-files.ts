// The files of docs/ that every installation of this program has.

import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Sources and compiled files are two folders below package.json. */
const docs = new URL('../../docs/', import.meta.url);

/** The text of a file of docs/deploy/. */
export function readDeployFile(name: string): string {
  return readFileSync(new URL(`deploy/${name}`, docs), 'utf8');
}

/** The value of `$schema` in a libretto.json in this folder: a path below the folder, or an address of the file. */
export function schemaOf(directory: string): string {
  const schema = new URL('libretto.schema.json', docs);
  const near = relative(directory, fileURLToPath(schema)).split(sep).join('/');
  return near.startsWith('../') ? schema.href : `./${near}`;
}
