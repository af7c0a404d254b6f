// Makes git repositories that resemble a real PHP library, the same on every machine, each through one git fast-import.

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './measure.mjs';
import { mulberry32, phpClass } from './php-text.mjs';

const seed = 20_260_101;
const gitEnvironment = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

/**
 * Makes a bare repository at `path`: by default 200 tags, 300 files of about 4 KB, 5 % of them changed from tag to tag.
 * `composerEvery`: tags until the next composer.json, 0 for never. `variant`: another one has other contents.
 */
export async function makeRepository(
  path,
  {
    name = 'bench/library',
    tags = 200,
    files = 300,
    changedShare = 0.05,
    bytes = 4096,
    composerEvery = 0,
    variant = 0,
  } = {},
) {
  const random = mulberry32(seed + variant);
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', '--template=', path]);
  const child = spawn('git', ['-C', path, '-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: gitEnvironment,
  });
  const ended = new Promise((resolve, reject) =>
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`git fast-import ended with ${code}`)))),
  );
  for (let tag = 0; tag < tags; tag += 1) {
    const changed =
      tag === 0
        ? Array.from({ length: files }, (_, index) => index)
        : Array.from({ length: Math.round(files * changedShare) }, () => Math.floor(random() * files));
    const composer = tag === 0 || (composerEvery > 0 && tag % composerEvery === 0);
    if (!child.stdin.write(commitText({ name, tag, composer, changed: [...new Set(changed)], bytes }, random)))
      await new Promise((resolve) => child.stdin.once('drain', resolve));
  }
  child.stdin.end();
  await ended;
}

/**
 * Makes `count` bare repositories in `folder`, 1.git, 2.git, …, of packages bench/small-1, …: ten lightweight tags in
 * packed-refs, three files. `at(index)` tells its path.
 */
export async function makeSmallRepositories(folder, count, { tags = 10 } = {}) {
  mkdirSync(folder, { recursive: true });
  let next = 1;
  const work = async () => {
    while (next <= count) {
      const index = next;
      next += 1;
      const path = join(folder, `${index}.git`);
      await makeRepository(path, {
        name: `bench/small-${index}`,
        tags,
        files: 2,
        changedShare: 0.5,
        bytes: 600,
        composerEvery: 3,
      });
      packRefs(path);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
}

/** What `git pack-refs --all` leaves behind for lightweight tags, without a process for each repository. */
function packRefs(path) {
  const rows = ['heads', 'tags'].flatMap((kind) =>
    readdirSync(join(path, 'refs', kind))
      .toSorted()
      .map((name) => `${readFileSync(join(path, 'refs', kind, name), 'utf8').trim()} refs/${kind}/${name}`),
  );
  writeFileSync(join(path, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${rows.join('\n')}\n`);
  for (const kind of ['heads', 'tags'])
    for (const name of readdirSync(join(path, 'refs', kind))) rmSync(join(path, 'refs', kind, name));
}

function commitText({ name, tag, composer, changed, bytes }, random) {
  const time = 1_700_000_000 + tag * 3600;
  const person = `Bench <bench@example.org> ${time} +0000`;
  const composerJson = JSON.stringify({
    name,
    description: `A generated library, as of ${tag}`,
    require: { php: '>=8.1', 'psr/log': `^${1 + (tag % 3)}.0` },
    autoload: { 'psr-4': { 'Bench\\': 'src/' } },
  });
  const parts = [`commit refs/heads/main\ncommitter ${person}\n${data(`Release ${tag}`)}`];
  if (composer) parts.push(`M 100644 inline composer.json\n${data(composerJson)}`);
  for (const index of changed) {
    const text = phpClass(
      { namespace: `Bench\\Part${index % 12}`, name: `Class${index}`, constant: tag, bytes },
      random,
    );
    parts.push(`M 100644 inline src/Part${index % 12}/Class${index}.php\n${data(text)}`);
  }
  parts.push(`reset refs/tags/v1.${tag}.0\nfrom refs/heads/main\n\n`);
  return parts.join('');
}

const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
