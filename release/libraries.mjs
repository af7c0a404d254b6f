// The libraries inside the package: those that the bundler lists in lib/libraries.json, those that it does not see
// (Swagger UI, LMDB's binaries), and the libraries in C inside them. Each with version, licence and its texts.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { binaryPackages } from './binaries.mjs';

/**
 * @typedef {object} Library
 * @property {string} name
 * @property {string | undefined} version  undefined: the library around it does not tell
 * @property {string | undefined} licence  an SPDX expression
 * @property {string} purl  its package URL: https://github.com/package-url/purl-spec
 * @property {string | undefined} integrity  of the package that npm installs, as in package-lock.json
 * @property {string | undefined} folder  in the repository
 * @property {readonly string[]} needs  package URLs of the libraries inside that it imports
 * @property {readonly { readonly title: string, readonly text: string }[]} texts  licences and notices
 * @property {readonly Library[]} parts  libraries that are copied into it
 */

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * All libraries inside, by package URL. `binaries`: the packages @lmdb/lmdb-* whose binaries are in the package.
 *
 * @returns {readonly Library[]}
 */
export function readLibraries(root, binaries) {
  const lock = readJson(join(root, 'package-lock.json')).packages;
  const folders = bundledFolders(root);
  const inC = librariesInC(root);
  const prebuilt = binaries.map((name) => binaryLibrary(name, lock[`node_modules/${name}`], inC));
  const bundled = folders.map((folder) => {
    const found = npmLibrary(root, folder, lock, folders);
    return found.name === 'lmdb' ? { ...found, needs: [...found.needs, ...prebuilt.map(({ purl }) => purl)] } : found;
  });
  return [...bundled, ...prebuilt, ...inC].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}

function binaryLibrary(name, { version, license, integrity }, inC) {
  const needs = inC.filter((one) => one.name !== 'libdeflate').map(({ purl }) => purl);
  return { ...library(`pkg:npm/${encodeName(name)}@${version}`, name), version, licence: license, integrity, needs };
}

const encodeName = (name) => name.replace('@', '%40');
const library = (purl, name) => ({ name, purl, needs: [], texts: [], parts: [] });

function npmLibrary(root, folder, lock, folders) {
  const { name, version, license, licenses, author, dependencies } = readJson(join(root, folder, 'package.json'));
  const licence = license ?? licenses?.map(({ type }) => type).join(' OR ');
  const needs = Object.keys(dependencies ?? {}).flatMap((needed) => nearest(folder, needed, folders) ?? []);
  const purlOf = (path) => {
    const { name: itsName = path.replace(/.*node_modules\//, ''), version: itsVersion } = lock[path];
    return `pkg:npm/${encodeName(itsName)}@${itsVersion}`;
  };
  return {
    ...library(purlOf(folder), name),
    version,
    licence,
    integrity: lock[folder].integrity,
    folder,
    needs: needs.map(purlOf).sort(),
    texts: textsOf(join(root, folder), { name, licence, author }),
    parts: name === 'swagger-ui-dist' ? copiedInto(join(root, folder, 'swagger-ui-bundle.js.map')) : [],
  };
}

/** The folder that Node finds for an import of `name` from `folder`, if it is one of `folders`. */
function nearest(folder, name, folders) {
  for (let at = folder; at !== '.'; at = dirname(at)) {
    const found = `${at}/node_modules/${name}`;
    if (folders.includes(found)) return found;
  }
  return folders.includes(`node_modules/${name}`) ? `node_modules/${name}` : undefined;
}

const isText = (name) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)|^swagger-ui-bundle\.js\.LICENSE\.txt$/i.test(name);

function textsOf(folder, { name, licence, author }) {
  const names = readdirSync(folder).filter(isText).sort();
  const texts = names.map((file) => ({ title: file, text: readFileSync(join(folder, file), 'utf8') }));
  if (texts.length > 0) return texts;
  if (licence !== 'MIT')
    throw new Error(`${name} (${licence}) has no file with its licence: name one in ${import.meta.url}.`);
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  return [{ title: 'LICENSE', text: `Copyright (c) ${holder}\n\n${mit}` }];
}

/** The text of the MIT License, for packages that name it and have no file with it. */
const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

/** The libraries whose modules a source map names. It names no versions. */
function copiedInto(map) {
  const names = readJson(map).sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  return [...new Set(names)].sort().map((name) => library(`pkg:npm/${encodeName(name)}`, name));
}

/** The libraries in C: LMDB and LZ4 in its binaries, libdeflate as WebAssembly. Their sources tell their versions. */
function librariesInC(root) {
  const lmdb = join(root, 'node_modules/lmdb/dependencies/lmdb/libraries/liblmdb');
  const lz4 = join(root, 'node_modules/lmdb/dependencies/lz4/lib');
  const libdeflate = join(root, 'build/compression/libdeflate');
  const read = (folder, name) => readFileSync(join(folder, name), 'utf8');
  const numbers = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]).join('.');
  const inC = (name, repository, version, licence, texts) => ({
    ...library(`pkg:github/${repository}@${version}`, name),
    version,
    licence,
    texts,
  });
  const text = (folder, title) => ({ title, text: read(folder, title) });
  return [
    inC(
      'LMDB',
      'lmdb/lmdb',
      numbers(read(lmdb, 'lmdb.h'), /^#define MDB_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)/gm),
      'OLDAP-2.8',
      [text(lmdb, 'LICENSE'), text(lmdb, 'COPYRIGHT')],
    ),
    inC(
      'LZ4',
      'lz4/lz4',
      numbers(read(lz4, 'lz4.h'), /^#define LZ4_VERSION_(?:MAJOR|MINOR|RELEASE)\s+(\d+)/gm),
      'BSD-2-Clause',
      [text(lz4, 'LICENSE')],
    ),
    inC('libdeflate', 'ebiggers/libdeflate', /^version=(.+)$/m.exec(read(libdeflate, 'build.sh'))?.[1] ?? '', 'MIT', [
      text(libdeflate, 'COPYING'),
    ]),
  ];
}

/** The folders in node_modules of all packages whose files are in the package, for any system. */
export function foldersInside(root) {
  const list = join(root, 'lib/libraries.json');
  if (!existsSync(list)) throw new Error('There is no lib/libraries.json. Run `npm run compile` first.');
  return new Set([...bundledFolders(root), ...binaryPackages.map((name) => `node_modules/${name}`)]);
}

const bundledFolders = (root) => [...readJson(join(root, 'lib/libraries.json')), 'node_modules/swagger-ui-dist'];

/** The packages @lmdb/lmdb-* that npm has installed for this system. */
export function installedBinaries(root) {
  return binaryPackages.filter((name) => existsSync(join(root, 'node_modules', name)));
}
