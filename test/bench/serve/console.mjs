// Measures the console on a registry of 10 000 packages: how long a page takes, and what installs notice while people
// browse. A page is asked for alone, one after the other. Then 20 people look at a page every five seconds, and wrk
// asks for a p2 document meanwhile. The same people at another server of this machine show what the machine itself
// costs.

import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, binary, median } from '../measure.mjs';
import { makeLargeTree } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

const people = 20;
const pauseMs = 5000;
/** the promised most time for a page */
const mostMs = 20;
/** the promised highest p99 of p2 while people browse, as a multiple of without them */
const mostP99 = 1.1;

const person = { email: 'bench@example.org', password: 'a password of the bench' };

export async function console({ folder, rounds, quick, servers, say }) {
  say('a tree of 10 000 packages …');
  const tree = await makeLargeTree(folder, 10_000);
  execFileSync(
    process.execPath,
    [binary, 'user', 'create', '--data', tree.data, '--admin', '--email', person.email, '--password-stdin'],
    { cwd: folder, env: bare, input: `${person.password}\n` },
  );
  cpSync(tree.data, `${tree.data}-2`, { recursive: true });
  const server = await servers.proxy(tree.data, { log: join(folder, 'requests.log') });
  const pages = pagesOf(tree.names);
  const figures = [await timeFirst(server.url)];
  const cookie = await signIn(server.url);
  for (const [what, paths] of Object.entries(pages)) figures.push(await timePage(server.url, cookie, what, paths));
  const other = await servers.proxy(`${tree.data}-2`, { log: join(folder, 'others.log') });
  const paths = Object.values(pages).flat();
  const elsewhere = { url: other.url, cookie: await signIn(other.url), paths };
  for (const path of paths) await show(elsewhere.url, elsewhere.cookie, path);
  say(`${people} people …`);
  figures.push(...(await besidePeople(server, { url: server.url, cookie, paths }, elsewhere, { tree, rounds, quick })));
  return figures;
}

/** What a page is → the addresses that show it, with other packages each time. */
function pagesOf(names) {
  const some = Array.from({ length: 30 }, (_, at) => names[at * 331]);
  return {
    'the list of packages': some.map((_, at) => `/packages?page=${at + 1}`),
    'a search': some.map((name) => `/packages?q=${name.slice(-4)}`),
    'a package': some.map((name) => `/packages/${name}`),
    'the versions of a package': some.map((name) => `/packages/${name}/versions`),
    'the overview': some.map(() => '/overview'),
    'the tokens': some.map(() => '/tokens'),
  };
}

/** The first request loads the modules of the console (decision D297). */
async function timeFirst(url) {
  const started = performance.now();
  await show(url, '', '/sign-in');
  return { what: 'the first page after the start', unit: 'ms', value: performance.now() - started };
}

async function timePage(url, cookie, what, paths) {
  await show(url, cookie, paths[0]); // loads what the first page of its kind needs
  const samples = [];
  for (const path of paths) {
    const started = performance.now();
    await show(url, cookie, path);
    samples.push(performance.now() - started);
  }
  const value = median(samples);
  return { what, unit: 'ms', value, ours: value, atMost: mostMs };
}

async function besidePeople(server, here, elsewhere, { tree, rounds, quick }) {
  const ask = () => wrk(server, `/p2/${tree.names[0]}.json`, { Authorization: `Bearer ${tree.token}` }, quick ? 4 : 8);
  await ask();
  const { alone, apart, beside } = await inTurns(
    { alone: ask, apart: () => whileBrowsing(elsewhere, ask), beside: () => whileBrowsing(here, ask) },
    rounds,
  );
  const row = (what, { p99 }) => ({
    what: `p2 while ${people} people browse ${what}: p99`,
    unit: 'ms',
    value: p99,
    besideValue: alone.p99,
    beside: 'nobody',
    ours: p99 / alone.p99,
  });
  return [row('another server of this machine', apart), { ...row('this server', beside), atMost: mostP99 }];
}

/** Resolves with what `work` resolves with. Everybody begins at another moment of the pause. */
async function whileBrowsing({ url, cookie, paths }, work) {
  let isOver = false;
  const browse = async (who) => {
    await sleep((who * pauseMs) / people);
    for (let at = who * 7; !isOver; at += 1) {
      await show(url, cookie, paths[at % paths.length]);
      await sleep(pauseMs);
    }
  };
  const browsing = Array.from({ length: people }, (_, who) => browse(who));
  const done = await work();
  isOver = true;
  await Promise.all(browsing);
  return done;
}

async function show(url, cookie, path) {
  const answer = await fetch(`${url}/ui${path}`, { headers: { cookie }, redirect: 'manual' });
  await answer.text();
  if (answer.status !== 200) throw new Error(`/ui${path}: ${answer.status}`);
}

/** Returns the cookie of the session. */
async function signIn(url) {
  const answer = await fetch(`${url}/ui/sign-in`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(person),
    redirect: 'manual',
  });
  const [cookie] = answer.headers.getSetCookie();
  if (answer.status !== 303 || cookie === undefined) throw new Error(`the sign-in answered ${answer.status}`);
  return cookie.split(';', 1)[0];
}
