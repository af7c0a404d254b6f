// Measures what installs notice while 10 000 events wait for five receivers that take a second for each, and how much
// memory that costs. The same server with its endpoints turned off shows what it does without them.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, binary, run } from '../measure.mjs';
import { residentMb } from './servers.mjs';
import { makeToken, paths, writePackage } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

const receivers = 5;
const answerMs = 1000;
/** the promised highest p99 of p2 while events are sent, as a multiple of without them */
const mostP99 = 1.2;
/** the promised most growth of memory, MB */
const mostMb = 100;

const person = { email: 'bench@example.org', password: 'a password of the bench' };

export async function notifications({ folder, rounds, quick, servers, say }) {
  const { data, token } = await preparedRegistry(folder);
  const server = await servers.proxy(data, { log: join(folder, 'requests.log') });
  const receiver = await slowReceiver();
  try {
    const call = await signedIn(server.url);
    const ids = [];
    for (let at = 0; at < receivers; at += 1)
      ids.push((await call('POST', '/api/notifications', { url: `${receiver.url}/${at}` })).id);
    const enable = (enabled) => Promise.all(ids.map((id) => call('PATCH', `/api/notifications/${id}`, { enabled })));
    const events = quick ? 1000 : 10_000;
    const ask = () => wrk(server, paths.p2, { Authorization: `Bearer ${token}` }, quick ? 4 : 8);
    await ask();
    const before = residentMb(server.processId);
    say(`${events} versions …`);
    const watched = watchMemory(server.processId);
    await publish(folder, data, events);
    await everyoneHears(call, ids);
    say(`${events} events for ${receivers} slow receivers …`);
    const runs = { alone: () => turned(false, enable, ask), sending: () => turned(true, enable, ask) };
    const { alone, sending } = await inTurns(runs, rounds);
    return figuresOf({ events, alone, sending, mb: watched.stop() - before, arrived: receiver.count() });
  } finally {
    receiver.close();
  }
}

function figuresOf({ events, alone, sending, mb, arrived }) {
  return [
    {
      what: `p2 while ${events} events go to ${receivers} slow receivers: p99`,
      unit: 'ms',
      value: sending.p99,
      besideValue: alone.p99,
      beside: 'turned off',
      ours: sending.p99 / alone.p99,
      atMost: mostP99,
    },
    {
      what: `memory for ${events} events that wait ${receivers} times: growth at its highest`,
      unit: 'MB',
      value: mb,
      ours: mb,
      atMost: mostMb,
    },
    { what: 'deliveries that arrived meanwhile', unit: '', value: arrived },
  ];
}

/** A small package, an admin, and a token. */
async function preparedRegistry(folder) {
  const data = join(folder, 'data');
  for (let minor = 0; minor < 10; minor += 1)
    writePackage(join(folder, 'source', `small-1.${minor}`), 'bench/small', `1.${minor}.0`, Buffer.from(`${minor}`));
  const libretto = (args, input = '') =>
    execFileSync(process.execPath, [binary, ...args, '--data', data], { cwd: folder, env: bare, input });
  libretto(['build', join(folder, 'source')]);
  libretto(['user', 'create', '--admin', '--email', person.email, '--password-stdin'], `${person.password}\n`);
  writeFileSync(join(folder, 'libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  return { data, token: await makeToken(folder, data) };
}

async function turned(enabled, enable, ask) {
  await enable(enabled);
  await sleep(2000);
  return ask();
}

async function publish(folder, data, events) {
  const source = join(folder, 'many');
  for (let at = 0; at < events; at += 1)
    writePackage(
      join(source, `package-${at}`),
      `bench/many-${at % 100}`,
      `1.${Math.floor(at / 100)}.0`,
      Buffer.from(`${at}`),
    );
  await run(process.execPath, [binary, 'build', join(folder, 'source'), source, '--data', data], {
    cwd: folder,
    env: bare,
  });
}

/** Until every endpoint has a line that waits. */
async function everyoneHears(call, ids) {
  for (let turn = 0; turn < 600; turn += 1) {
    const waiting = await Promise.all(ids.map(async (id) => (await call('GET', `/api/notifications/${id}`)).waiting));
    if (waiting.every((count) => count > 100)) return;
    await sleep(200);
  }
  throw new Error('the events did not arrive at the endpoints');
}

function watchMemory(processId) {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, residentMb(processId))), 100);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

async function slowReceiver() {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume();
    setTimeout(() => response.writeHead(204).end(), answerMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    count: () => count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Calls the management API as the admin. */
async function signedIn(url) {
  const call = async (method, path, body, token) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { token } = await call('POST', '/api/auth/login', person);
  return (method, path, body) => call(method, path, body, token);
}
