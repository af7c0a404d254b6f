// Measures `libretto adopt`: 200 packages × 10 versions of another registry on loopback, whose tree Libretto built.

import { createReadStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { measuredBuild, measuredCommand, median } from '../measure.mjs';
import { write } from '../php-packages.mjs';
import { mulberry32, phpClass } from '../php-text.mjs';

export async function adopt({ folder, quick, rounds }) {
  const [packages, versions] = [quick ? 20 : 200, 10];
  const source = join(folder, 'packages');
  writeVersions(source, packages, versions);
  const env = { LIBRETTO_METADATA_URL: '/p2/%package%.json' };
  await measuredBuild([source, '--data', join(folder, 'other')], { cwd: folder, env });
  const server = await serveFiles(join(folder, 'other', 'public'));
  writeFileSync(join(folder, 'libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  const url = `http://127.0.0.1:${server.address().port}`;
  const [first, again] = [[], []];
  try {
    for (let round = 0; round < Math.min(rounds, 3); round += 1) {
      const data = join(folder, 'data');
      rmSync(data, { recursive: true, force: true });
      first.push(await measuredCommand(['adopt', url, '--data', data], { cwd: folder }));
      again.push(await measuredCommand(['adopt', url, '--continue', '--data', data], { cwd: folder }));
    }
  } finally {
    server.close();
  }
  const seconds = (runs) => median(runs.map(({ ms }) => ms)) / 1000;
  return [
    {
      what: `adopt of ${packages} packages × ${versions} versions`,
      ours: seconds(first),
      unit: 's',
      atMost: 60,
      expected: '≤ 60 s',
    },
    {
      what: '  its peak memory',
      ours: median(first.map(({ mb }) => mb)),
      unit: 'MB',
      atMost: 300,
      expected: '≤ 300 MB',
    },
    { what: '  again, with --continue', ours: seconds(again), unit: 's' },
  ];
}

/** A folder for each version: 20 files of about 2 KB, of which two differ from version to version. */
function writeVersions(source, packages, versions) {
  for (let at = 0; at < packages; at += 1)
    for (let version = 0; version < versions; version += 1) {
      const place = join(source, `package-${at}`, `1.${version}.0`);
      mkdirSync(join(place, 'src'), { recursive: true });
      write(join(place, 'composer.json'), JSON.stringify({ name: `bench/package-${at}`, version: `1.${version}.0` }));
      for (let file = 0; file < 19; file += 1) {
        const random = mulberry32(at * 100 + file);
        const constant = file === 0 ? version : 0;
        const text = phpClass({ namespace: `Bench\\P${at}`, name: `File${file}`, constant, bytes: 2048 }, random);
        write(join(place, 'src', `File${file}.php`), text);
      }
    }
}

function serveFiles(root) {
  const server = createServer((request, response) => {
    const path = join(root, decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    if (!existsSync(path)) return response.writeHead(404).end();
    createReadStream(path).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
