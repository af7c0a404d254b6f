// `npm run bench -- [serve] [mirror] [build] [store] [first-hour] [--json] [--quick] [--rows=NAME,…]`: compares the cost of
// Libretto with that of well-known tools, on this machine, in one run.
//
//   serve   requests a second, p99, bandwidth, memory and start of the proxy, against nginx with a static bearer check.
//   mirror  mirrored packages against the same packages published here, and against the other registry itself.
//   build   builds of generated inputs against the cheapest way to do the same work with everyday tools.
//   store   a registry at an object store with latency: start, documents, publication, and what each costs in requests.
//   first-hour  the machine time from a clone of this repository to one's own package, installed by Composer.
//
// --rows selects some of the rows. All programs take turns, and each figure is the median of five rounds, because a
// single round means little on a shared machine.

import process from 'node:process';
import { benchBuild, buildRows } from './build.mjs';
import { benchFirstHour, firstHourRows } from './first-hour.mjs';
import { benchMirror, mirrorRows } from './mirror.mjs';
import { benchServe, serveRows } from './serve.mjs';
import { benchStore, storeRows } from './store.mjs';

const words = process.argv.slice(2).filter((word) => word !== '--');
const flags = new Set(words.filter((word) => word.startsWith('--')));
const chosen = words.filter((word) => !word.startsWith('--'));
const known = {
  serve: benchServe,
  mirror: benchMirror,
  build: benchBuild,
  store: benchStore,
  'first-hour': benchFirstHour,
};
const knownRows = {
  serve: serveRows,
  mirror: mirrorRows,
  build: buildRows,
  store: storeRows,
  'first-hour': firstHourRows,
};
const asked = chosen.length > 0 ? chosen : Object.keys(known);

const rows = [...flags]
  .find((flag) => flag.startsWith('--rows='))
  ?.slice('--rows='.length)
  .split(',');
const unknown = [
  ...chosen.filter((word) => !(word in known)),
  ...[...flags].filter((flag) => !['--json', '--quick'].includes(flag) && !flag.startsWith('--rows=')),
  ...(rows ?? []).filter((row) => asked.every((name) => !(row in (knownRows[name] ?? {})))),
];
if (unknown.length > 0) {
  console.error(
    `Unknown: ${unknown.join(' ')}. Use: npm run bench -- [serve] [mirror] [build] [store] [first-hour] [--json] [--quick] [--rows=NAME,…]${Object.entries(
      knownRows,
    )
      .map(([name, of]) => `\nRows of ${name}: ${Object.keys(of).join(' ')}`)
      .join('')}`,
  );
  process.exit(2);
}

const quick = flags.has('--quick');
const report = { node: process.version, platform: `${process.platform}-${process.arch}`, rounds: quick ? 1 : 5 };
// with --json only the document goes to stdout
const say = flags.has('--json') ? (text) => console.error(text) : (text) => console.log(text);
for (const name of asked) {
  const own = rows?.filter((row) => row in knownRows[name]);
  if (own?.length !== 0) report[name] = await known[name]({ rounds: report.rounds, quick, rows: own, say });
}
if (flags.has('--json')) console.log(JSON.stringify(report, null, 2));
