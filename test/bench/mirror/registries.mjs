// Makes both sides of a mirror. A tree that a plain web server can serve is the other registry; a registry of ours
// mirrors it.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bare, binary, run } from '../measure.mjs';
import { makeToken } from '../serve/trees.mjs';

/** Builds `<folder>/<name>-source`, into which `write` has put packages. Returns its data folder. */
export async function buildTree(folder, name, write) {
  const [source, data] = [join(folder, `${name}-source`), join(folder, name)];
  mkdirSync(source);
  write(source);
  await run(process.execPath, [binary, 'build', source, '--data', data], { cwd: folder, env: bare });
  return data;
}

/** Returns a way to request documents by paths that a web server serves directly. */
export function forWebServer(data) {
  const path = join(data, 'public/packages.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('$%hash%', ''));
  rmSync(`${path}.gz`, { force: true });
  return data;
}

/** A registry with packages of its own that mirrors `url`; the token for it. */
export async function mirroring(folder, data, url) {
  writeFileSync(join(folder, 'libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  for (const [name, value] of [
    ['mirroring.enabled', 'true'],
    ['mirroring.url', url],
  ])
    await run(process.execPath, [binary, 'settings', 'set', name, value, '--data', data], { cwd: folder, env: bare });
  return makeToken(folder, data);
}
