// Wrote state-0.2.0.json, with the compiled program of version 0.2.0 (commit b3ebc086) and an empty Redis: a state in
// use, row by row, and its tokens. For another version:
//
//   node test/cli/upgrade/write-state-rows.mjs PATH-OF-ITS/lib/cli/main.js redis://127.0.0.1:6379 test/cli/upgrade/state-VERSION.json

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { Redis } from 'ioredis';

const [program, state, target] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'libretto-then-'));
const env = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LIBRETTO_DATA: join(folder, 'data'),
  LIBRETTO_STATE: state,
};
const libretto = (line, input = '') =>
  execFileSync(process.execPath, [resolve(program), ...line.split(' ')], { cwd: folder, env, input, encoding: 'utf8' });
const token = (line) => JSON.parse(libretto(`token create ${line} --expires never --json`)).token;

const tokens = {
  all: token('--description all'),
  hello: token('--description hello --package acme/hello:^1'),
  write: token('--description write --kind write'),
  revoked: token('--description revoked'),
};
const { tokens: listed } = JSON.parse(libretto('token list --json'));
libretto(`token revoke ${listed.find(({ description }) => description === 'revoked').id}`);
libretto('user create --email ada@example.org --name Ada --role admin --password-stdin', 'a very long password 1\n');
libretto('user create --email bob@example.org --name Bob --role viewer --invite');
libretto('team create front --package acme/* --member bob@example.org');
libretto('settings set limits.read 777');
libretto('repository add https://git.example.org/acme/tool.git --type git');
libretto('publisher add --issuer github --repository acme/tool --workflow release.yml --package acme/tool');
libretto('notify add https://chat.example.org/hook --name chat');

const redis = new Redis(state);
const [meta, rows] = [await redis.hgetall('libretto:state:meta'), await redis.hgetall('libretto:state:rows')];
writeFileSync(target, `${JSON.stringify({ tokens, meta, rows }, null, 1)}\n`);
redis.disconnect();
rmSync(folder, { recursive: true });
