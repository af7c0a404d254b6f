// What is served: a package with an everyday p2 document, one with an archive of 20 KB, one of 50 MB, and a list of 10 000 names; and a tree of 10 000
// packages, which are copies of one, since nobody asks for their archives.

import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bare, binary, run } from '../measure.mjs';

export const paths = { p2: '/p2/bench/small.json', root: '/packages.json', small: '/dist/bench/twenty/1.0.0.zip', large: '/dist/bench/fifty/1.0.0.zip' };

export async function makeTree(folder) {
  const source = join(folder, 'source');
  for (let minor = 0; minor < 10; minor += 1) writePackage(join(source, `small-1.${minor}`), 'bench/small', `1.${minor}.0`, Buffer.from(`<?php return ${minor};\n`));
  writePackage(join(source, 'twenty'), 'bench/twenty', '1.0.0', randomBytes(19_600));
  writePackage(join(source, 'fifty'), 'bench/fifty', '1.0.0', randomBytes(50 * 1024 * 1024));
  const data = join(folder, 'data');
  await run(process.execPath, [binary, 'build', source, '--data', data], { cwd: folder, env: bare });
  listNames(data, names(10_000));
  return { data, token: await makeToken(folder, data) };
}

export function writePackage(at, name, version, content) {
  mkdirSync(join(at, 'src'), { recursive: true });
  writeFileSync(join(at, 'composer.json'), JSON.stringify({ name, version, description: 'A package to be measured', license: 'MIT', require: { php: '>=8.1' }, autoload: { 'psr-4': { 'Bench\\': 'src/' } } }));
  writeFileSync(join(at, 'src/content.php'), content);
}

const names = (count) => Array.from({ length: count }, (_, index) => `bench/package-${String(index).padStart(5, '0')}`);

/** nginx needs the compressed list as a file of its own. */
function listNames(data, all) {
  const path = join(data, 'public/packages.json');
  const text = JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), 'available-packages': all });
  writeFileSync(path, text);
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 6 }));
}

/** Each server that counts for itself wants a data folder of its own. */
export function copyOf(data, target) {
  cpSync(data, target, { recursive: true, preserveTimestamps: true });
  return target;
}

export async function makeToken(folder, data) {
  const made = await run(process.execPath, [binary, 'token', 'create', '--data', data, '--description', 'bench', '--limit', '1000000000', '--json'], { cwd: folder, env: bare });
  return JSON.parse(made).token;
}

/** 10 000 packages × 20 versions. */
export async function makeLargeTree(folder, count) {
  const source = join(folder, 'large-source');
  for (let minor = 0; minor < 20; minor += 1) writePackage(join(source, `1.${minor}`), 'bench/template', `1.${minor}.0`, Buffer.from(`<?php return ${minor};\n`));
  const data = join(folder, 'large');
  await run(process.execPath, [binary, 'build', source, '--data', data], { cwd: folder, env: bare });
  const all = names(count);
  for (const file of templateFiles(data)) {
    const text = readFileSync(file, 'utf8');
    const { atime, mtime } = statSync(file);
    for (const name of all) {
      const copy = file.replace('template', name.slice('bench/'.length));
      writeFileSync(copy, text.replaceAll('bench/template', name));
      utimesSync(copy, atime, mtime); // as a build dates it: the index knows the document by that
    }
  }
  listNames(data, all);
  return { data, names: all, token: await makeToken(folder, data) };
}

function templateFiles(data) {
  return ['public/p2/bench', 'index/bench'].flatMap((folder) => readdirSync(join(data, folder)).filter((name) => name.startsWith('template')).map((name) => join(data, folder, name)));
}

/** As a build does it: index and document by rename, then the announcement. Returns when it appeared (performance.now). */
export function publishAgain(data, name, serial) {
  for (const file of [`index/${name}.json`, `public/p2/${name}.json`]) replace(join(data, file), (text) => text.replaceAll(/A package to be measured|Publication \d+/g, `Publication ${serial}`));
  replace(join(data, 'index/_publication.json'), (text) => text.replace(/"serial":\s*\d+/, `"serial":${serial}`));
  return performance.now();
}

function replace(path, change) {
  writeFileSync(`${path}.new`, change(readFileSync(path, 'utf8')));
  renameSync(`${path}.new`, path);
}
