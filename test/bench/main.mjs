// `npm run bench -- [serve] [build] [--json] [--quick] [--rows=NAME,…]`: what Libretto costs beside the tools everyone knows, on this machine, in one run.
//
//   serve   requests a second and p99 of a p2 document and of a small dist: nginx with one worker and a static bearer check, our proxy counting
//           in process, our proxy counting in Redis. The request log of each goes to a file.
//   build   builds of generated inputs beside the least that the same work costs with everyday tools; --rows takes some of them.
//
// All programs take turns, and each figure is the median of five rounds, since a single one means little on a shared machine.

import process from 'node:process';
import { benchBuild, buildRows } from './build.mjs';
import { benchServe } from './serve.mjs';

const words = process.argv.slice(2).filter((word) => word !== '--');
const flags = new Set(words.filter((word) => word.startsWith('--')));
const chosen = words.filter((word) => !word.startsWith('--'));
const known = { serve: benchServe, build: benchBuild };

const rows = [...flags].find((flag) => flag.startsWith('--rows='))?.slice('--rows='.length).split(',');
const unknown = [
  ...chosen.filter((word) => !(word in known)),
  ...[...flags].filter((flag) => !['--json', '--quick'].includes(flag) && !flag.startsWith('--rows=')),
  ...(rows ?? []).filter((row) => !(row in buildRows)),
];
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}. Use: npm run bench -- [serve] [build] [--json] [--quick] [--rows=NAME,…]\nRows of build: ${Object.keys(buildRows).join(' ')}`);
  process.exit(2);
}

const quick = flags.has('--quick');
const report = { node: process.version, platform: `${process.platform}-${process.arch}`, rounds: quick ? 1 : 5 };
// with --json only the document goes to stdout
const say = flags.has('--json') ? (text) => console.error(text) : (text) => console.log(text);
for (const name of chosen.length > 0 ? chosen : Object.keys(known)) report[name] = await known[name]({ rounds: report.rounds, quick, rows, say });
if (flags.has('--json')) console.log(JSON.stringify(report, null, 2));
