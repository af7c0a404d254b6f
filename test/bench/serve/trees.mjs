// Makes the served trees. One has a package with an everyday p2 document, archives of 20 KB and 50 MB, and a list of
// 10 000 names. The other has 10 000 packages that are copies of one package, since nobody requests their archives.

import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bare, binary, run } from '../measure.mjs';

export const paths = {
  p2: '/p2/bench/small.json',
  root: '/packages.json',
  small: '/dist/bench/twenty/1.0.0.zip',
  large: '/dist/bench/fifty/1.0.0.zip',
};

export async function makeTree(folder) {
  const source = join(folder, 'source');
  for (let minor = 0; minor < 10; minor += 1)
    writePackage(
      join(source, `small-1.${minor}`),
      'bench/small',
      `1.${minor}.0`,
      Buffer.from(`<?php return ${minor};\n`),
    );
  writePackage(join(source, 'twenty'), 'bench/twenty', '1.0.0', randomBytes(19_600));
  writePackage(join(source, 'fifty'), 'bench/fifty', '1.0.0', randomBytes(50 * 1024 * 1024));
  const data = join(folder, 'data');
  await run(process.execPath, [binary, 'build', source, '--data', data], { cwd: folder, env: bare });
  listNames(data, names(10_000));
  return { data, token: await makeToken(folder, data) };
}

export function writePackage(at, name, version, content) {
  mkdirSync(join(at, 'src'), { recursive: true });
  writeFileSync(
    join(at, 'composer.json'),
    JSON.stringify({
      name,
      version,
      description: 'A package to be measured',
      license: 'MIT',
      require: { php: '>=8.1' },
      autoload: { 'psr-4': { 'Bench\\': 'src/' } },
    }),
  );
  writeFileSync(join(at, 'src/content.php'), content);
}

const names = (count) => Array.from({ length: count }, (_, index) => `bench/package-${String(index).padStart(5, '0')}`);

/** nginx needs the compressed list as a file of its own. */
function listNames(data, all) {
  const path = join(data, 'public/packages.json');
  const before = readFileSync(path, 'utf8');
  const text = JSON.stringify({ ...JSON.parse(before), 'available-packages': all });
  writeAsDated(path, path, text);
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 6 }));
  replace(join(data, 'index/_publication.json'), (publication) => publication.replaceAll(sha256(before), sha256(text)));
}

/** With the dates of `template`: the index knows a document by its date and its digest. */
function writeAsDated(path, template, text) {
  const { atime, mtime } = statSync(template);
  writeFileSync(path, text);
  utimesSync(path, atime, mtime);
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Each server with its own counters needs a data folder of its own. */
export function copyOf(data, target) {
  cpSync(data, target, { recursive: true, preserveTimestamps: true });
  return target;
}

export async function makeToken(folder, data) {
  const made = await run(
    process.execPath,
    [binary, 'token', 'create', '--data', data, '--description', 'bench', '--limit', '1000000000', '--json'],
    { cwd: folder, env: bare },
  );
  return JSON.parse(made).token;
}

/** 10 000 packages × 20 versions. */
export async function makeLargeTree(folder, count) {
  const source = join(folder, 'large-source');
  for (let minor = 0; minor < 20; minor += 1)
    writePackage(join(source, `1.${minor}`), 'bench/template', `1.${minor}.0`, Buffer.from(`<?php return ${minor};\n`));
  const data = join(folder, 'large');
  await run(process.execPath, [binary, 'build', source, '--data', data], { cwd: folder, env: bare });
  const all = names(count);
  const [documents, indexes] = ['public/p2/bench', 'index/bench'].map((folder) => templateFiles(join(data, folder)));
  for (const name of all) {
    const named = (text) => text.replaceAll('bench/template', name);
    const pathOf = (file) => file.replace('template', name.slice('bench/'.length));
    for (const { file, text } of documents) writeAsDated(pathOf(file), file, named(text));
    const redigested = (index) =>
      documents.reduce((done, { text }) => done.replaceAll(sha256(text), sha256(named(text))), index);
    for (const { file, text } of indexes) writeAsDated(pathOf(file), file, redigested(named(text)));
  }
  listNames(data, all);
  return { data, names: all, token: await makeToken(folder, data) };
}

function templateFiles(folder) {
  return readdirSync(folder)
    .filter((name) => name.startsWith('template'))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }));
}

/**
 * As a build does it: index and document by rename, then the announcement. Returns when it appeared (performance.now).
 */
export function publishAgain(data, name, serial) {
  const document = join(data, `public/p2/${name}.json`);
  const before = readFileSync(document, 'utf8');
  const after = before.replaceAll(/A package to be measured|Publication \d+/g, `Publication ${serial}`);
  replace(join(data, `index/${name}.json`), (text) => text.replaceAll(sha256(before), sha256(after)));
  replace(document, () => after);
  replace(join(data, 'index/_publication.json'), (text) => text.replace(/"serial":\s*\d+/, `"serial":${serial}`));
  return performance.now();
}

function replace(path, change) {
  writeFileSync(`${path}.new`, change(readFileSync(path, 'utf8')));
  renameSync(`${path}.new`, path);
}
