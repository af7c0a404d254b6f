// Measures the way from a pushed tag to the version that Composer can install: the hook, the sync in a process of its
// own, the fetch, the build and the publication. Beside it, the same work by hand: a fetch, and an archive of the tag.

import { createHmac, randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, binary, median, run, timed } from '../measure.mjs';
import { makeRepository } from '../php-repository.mjs';
import { startRefServer } from '../ref-server.mjs';

const git = { ...bare, GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'Bench', GIT_AUTHOR_EMAIL: 'bench@example.org' };
const committer = { GIT_COMMITTER_NAME: 'Bench', GIT_COMMITTER_EMAIL: 'bench@example.org' };

export async function pushes({ folder, quick }) {
  const tags = quick ? 100 : 500;
  const count = quick ? 5 : 20;
  const bareRepository = join(folder, 'repositories', 'library.git');
  await makeRepository(bareRepository, { tags, files: 60, composerEvery: 25 });
  const remote = await startRefServer(join(folder, 'repositories'), { cached: false });
  const registry = await startRegistry(folder, `${remote.url}/library.git`);
  try {
    await registry.push(`v1.${tags - 1}.0`);
    await run('git', ['clone', '--quiet', '--bare', bareRepository, join(folder, 'clone.git')], { env: git });
    const [ours, floors] = [[], []];
    for (let round = 0; round < count; round += 1) {
      const tag = `9.${round}.0`;
      await addTag(bareRepository, tag);
      ours.push(await timed(() => registry.push(tag)));
      floors.push(await timed(() => byHand(folder, remote.url, tag)));
    }
    return [
      {
        what: `push to installable, ${tags} tags, p95`,
        ours: ours.toSorted((a, b) => a - b)[Math.ceil(0.95 * count) - 1],
        unit: 'ms',
        beside: 'git fetch, git archive',
        floor: median(floors),
        atMost: 3000,
        expected: '≤ 3 s',
      },
    ];
  } finally {
    await registry.close();
    await remote.close();
  }
}

async function addTag(repository, tag) {
  const tree = (await run('git', ['-C', repository, 'rev-parse', 'main^{tree}'], { env: git })).trim();
  const commit = await run('git', ['-C', repository, 'commit-tree', tree, '-p', 'main', '-m', tag], {
    env: { ...git, ...committer },
  });
  await run('git', ['-C', repository, 'update-ref', 'refs/heads/main', commit.trim()], { env: git });
  await run('git', ['-C', repository, 'tag', tag, commit.trim()], { env: git });
}

async function byHand(folder, url, tag) {
  const clone = join(folder, 'clone.git');
  await run('git', ['-C', clone, 'fetch', '--quiet', '--tags', `${url}/library.git`], { env: git });
  await run('git', ['-C', clone, 'archive', '--format=zip', `--output=${join(folder, 'by-hand.zip')}`, tag], {
    env: git,
  });
}

/** A server with one registered repository and its webhook. `push` ends when the version of the tag is served. */
async function startRegistry(folder, url) {
  const settings = { data: 'data', egress: { allow: ['127.0.0.0/8'] }, log: 'none' };
  writeFileSync(join(folder, 'libretto.json'), JSON.stringify(settings));
  const cli = async (...args) => (await run(process.execPath, [binary, ...args], { cwd: folder, env: bare })).trim();
  const { id } = JSON.parse(await cli('repository', 'add', url, '--json'));
  const secret = await cli('repository', 'hook', id);
  const token = await cli('token', 'create', '--description', 'bench', '--limit', '0');
  const server = spawn(process.execPath, [binary, 'serve', '--listen', '127.0.0.1:0'], { cwd: folder, env: bare });
  const address = await addressOf(server);
  const isServed = async (tag) => {
    const reply = await fetch(`${address}/p2/bench/library.json`, { headers: { authorization: `Bearer ${token}` } });
    return (await reply.text()).includes(`"${tag}"`);
  };
  return {
    push: async (tag) => {
      await sendHook(`${address}/hooks/${id}`, secret);
      while (!(await isServed(tag))) await sleep(10);
    },
    close: async () => {
      server.kill();
      await once(server, 'exit');
    },
  };
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    server.on('exit', () => reject(new Error('the server ended before it printed its address')));
    server.stdout.resume();
    // without a published package the address is on standard error
    server.stderr.on('data', (chunk) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(String(chunk));
      if (found !== null) resolve(found[0]);
    });
  });
}

async function sendHook(address, secret) {
  const body = '{}';
  const { status } = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomBytes(16).toString('hex'),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  });
  if (status !== 202) throw new Error(`the hook was answered with ${status}`);
}
