// Measures a registry at an object store that answers each request after 20 ms: 20 000 packages of 20 versions, two
// servers with their state in a Redis, one builder. Requests are counted by the classes of price lists: A writes and
// lists, B reads. docs/how-to/object-store-capacity.md makes a plan of the figures.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { isMet, limitOf } from './expectation.mjs';
import { table, withFolder } from './measure.mjs';
import { createServers } from './serve/servers.mjs';
import { lineOf } from './serve.mjs';
import { makeLargeTree } from './serve/trees.mjs';
import { builderRow } from './store/builder.mjs';
import { serversRow } from './store/servers.mjs';

const latencyMs = 20;

export const storeRows = { servers: serversRow, builder: builderRow };

export async function benchStore({ quick, rows, say }) {
  const packages = quick ? 1000 : 20_000;
  return await withFolder(async (folder) => {
    const servers = createServers(folder);
    const bucket = await (await bundledBucket(folder)).startBucket(latencyMs);
    try {
      say(`a store of ${packages} packages …`);
      const tree = await makeLargeTree(folder, packages);
      const filled = await bucket.fill(tree.data, tree.names);
      const registry = { folder, bucket, servers, tree, redis: await servers.redis(), env: bucket.environment };
      const results = [];
      for (const name of rows ?? Object.keys(storeRows)) {
        say(`${name} …`);
        const figures = await storeRows[name](registry);
        for (const figure of figures)
          results.push({ row: name, ...figure, limit: limitOf(figure), met: isMet(figure) });
      }
      say(
        `\nA store with ${latencyMs} ms, ${filled.files} files in ${filled.objects} objects:\n${table(results.map(lineOf))}\n`,
      );
      return results;
    } finally {
      await servers.stop();
      await bucket.close();
    }
  });
}

async function bundledBucket(folder) {
  const file = join(folder, 'bundled/bucket.mjs');
  mkdirSync(join(folder, 'bundled'));
  const input = new URL('./store/bucket.mjs', import.meta.url).pathname;
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  try {
    await bundle.write({ file, format: 'esm', codeSplitting: false });
  } finally {
    await bundle.close();
  }
  return await import(pathToFileURL(file).href);
}
