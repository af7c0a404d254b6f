// Wrote data-folder-0.1.0.tar.gz, with the compiled program of version 0.1.0 (commit c48e14c). The archive has a
// registry in use: its sources, its data folder, its tokens, and what 0.1.0 answered. For the folder of another
// version:
//
//   node test/cli/upgrade/write-data-folder.mjs PATH-OF-ITS/lib/cli/main.js test/cli/upgrade/data-folder-VERSION.tar.gz

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';

const [program, archive] = process.argv.slice(2).map((path) => resolve(path));
const folder = mkdtempSync(join(tmpdir(), 'libretto-then-'));
const at = (...parts) => join(folder, ...parts);
const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LIBRETTO_DATA: at('data'),
  GIT_AUTHOR_DATE: '2026-11-20T10:00:00Z',
  GIT_COMMITTER_DATE: '2026-11-20T10:00:00Z',
};

const run = (command, args, input = '') =>
  execFileSync(command, args, { cwd: folder, env: environment, input, encoding: 'utf8' });
const libretto = (...args) => run(process.execPath, [program, ...args]);

function writePackage(path, name, version, more = {}) {
  const files = {
    'composer.json': `${JSON.stringify({ name, ...(version === '' ? {} : { version }), description: 'Then.', ...more })}\n`,
    'README.md': `# ${name} ${version}\n`,
    'src/Who.php': `<?php\nreturn '${name} ${version}';\n`,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path, file)), { recursive: true });
    writeFileSync(at(path, file), text);
  }
}

function writeRepository() {
  const git = (...args) =>
    run('git', ['-C', 'tool', '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args]);
  mkdirSync(at('tool'));
  git('init', '--quiet', '--initial-branch', 'main', '--template=');
  for (const version of ['1.0.0', '1.1.0']) {
    writePackage('tool', 'acme/tool', '', { extra: { release: `number ${version}` } });
    writeFileSync(at('tool', `${version}.txt`), version);
    git('add', '--all');
    git('commit', '--quiet', '--message', version);
    git('tag', `v${version}`);
  }
  git('gc', '--quiet');
}

/** What the server answers to each token. */
async function recordAnswers(tokens) {
  const server = spawn(process.execPath, [program, 'serve', '--listen', '127.0.0.1:0', '--log', 'none'], {
    cwd: folder,
    env: environment,
  });
  let said = '';
  server.stderr.on('data', (part) => (said += part));
  while (!/http:\/\/127\.0\.0\.1:\d+/.test(said)) await once(server.stderr, 'data');
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
  const paths = ['hello', 'old', 'tool', 'sent'].flatMap((name) => [
    `/p2/acme/${name}.json`,
    `/p2/acme/${name}~dev.json`,
    ...['1.0.0', '1.1.0', 'v1.0.0', 'v1.1.0', 'dev-main'].map((version) => `/dist/acme/${name}/${version}.zip`),
  ]);
  const answers = [];
  for (const [name, token] of Object.entries(tokens))
    for (const path of paths) {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      const body = Buffer.from(await response.arrayBuffer());
      const sha256 = response.status === 200 ? createHash('sha256').update(body).digest('hex') : null;
      answers.push({ token: name, path, status: response.status, sha256 });
    }
  server.kill('SIGTERM');
  await once(server, 'exit');
  return answers;
}

const tokenOf = (...flags) => JSON.parse(libretto('token', 'create', '--json', ...flags)).token;

try {
  writePackage('packages/hello', 'acme/hello', '1.0.0');
  writePackage('packages/old', 'acme/old', '1.0.0');
  writeRepository();
  libretto('build', 'packages', 'git:tool');
  writePackage('packages/hello-next', 'acme/hello', '1.1.0');
  libretto('build');
  writePackage('upload', 'acme/sent', '1.0.0');
  libretto('publish', 'upload');
  libretto('package', 'withdraw', 'acme/old', '1.0.0');
  libretto('settings', 'set', 'limits.read', '5000');
  const password = 'correct horse battery staple';
  const user = ['user', 'create', '--email', 'ada@example.org', '--admin', '--password-stdin'];
  run(process.execPath, [program, ...user], `${password}\n`);
  const tokens = {
    all: tokenOf('--description', 'sees all'),
    limited: tokenOf('--description', 'sees hello 1.0', '--package', 'acme/hello:<1.1'),
    revoked: tokenOf('--description', 'is revoked'),
  };
  const { id } = JSON.parse(libretto('token', 'list', '--json')).tokens.find(
    ({ description }) => description === 'is revoked',
  );
  libretto('token', 'revoke', id);
  const answers = await recordAnswers(tokens);
  writeFileSync(at('then.json'), `${JSON.stringify({ tokens, password, answers }, undefined, 1)}\n`);
  const entries = ['data', 'packages', 'tool', 'upload', 'then.json'];
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--exclude=lock.mdb'];
  execFileSync('tar', ['-czf', archive, ...same, '-C', folder, ...entries]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
