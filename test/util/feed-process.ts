// A process of a registry that has feeds and nothing else, for tests that kill it or measure its memory:
// `node BUNDLE write FOLDER URL` asks the feed again and again, and prints a line for each run.
// `node --expose-gc BUNDLE measure FOLDER` loads the copy on disk, and prints what it costs.

import { argv } from 'node:process';
import type { PackageName } from '../../build/contract/name.ts';
import { createFeeds, type Feeds } from '../../proxy/advisory-feeds/feeds.ts';

const [, , mode, folder = '', url = 'http://127.0.0.1:1'] = argv;

function open(): Feeds {
  return createFeeds({
    folder,
    osv: { url },
    names: () =>
      Promise.resolve(['acme/lib', ...Array.from({ length: 3000 }, (_, at) => `many/p${at}`)] as PackageName[]),
    isLeader: () => true,
    allowAddresses: ['127.0.0.0/8'],
    userAgent: 'Libretto/test',
    now: Date.now,
    report: ({ kind }) => void process.stderr.write(`${kind}\n`),
  });
}

/** What JavaScript and its buffers take, after everything unused is gone. */
function usedBytes(): number {
  global.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

if (mode === 'write') {
  const feeds = open();
  for (;;) {
    await feeds.refresh();
    process.stdout.write('run\n');
  }
}
if (mode === 'measure') {
  const before = usedBytes();
  const feeds = open();
  const rows = feeds.statuses()[0]?.rows;
  const found = Array.from(
    { length: 1000 },
    (_, at) => feeds.lists().advisoriesOf(`many/p${at}` as PackageName).length,
  );
  const after = usedBytes();
  process.stdout.write(
    JSON.stringify({ rows, found: Math.min(...found), bytes: after - before, last: feeds.lists().generation }),
  );
  process.exit(0);
}
