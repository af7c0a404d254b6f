// Measures mirroring against serving the same packages as published ones. nginx serves a tree of Libretto as the other
// registry.

import { findTool } from '../setup/tools.mjs';
import { isMet, limitOf } from './expectation.mjs';
import { table, withFolder } from './measure.mjs';
import { crowd } from './mirror/crowd.mjs';
import { chain, feed } from './mirror/feed.mjs';
import { installs } from './mirror/installs.mjs';
import { manyDocuments } from './mirror/many-documents.mjs';
import { warm } from './mirror/warm.mjs';
import { lineOf } from './serve.mjs';
import { createServers } from './serve/servers.mjs';

export const mirrorRows = { warm, installs, crowd, 'many-documents': manyDocuments, feed, chain };

export async function benchMirror({ quick, rounds, rows, say }) {
  for (const tool of ['wrk', 'nginx', 'composer'])
    if (findTool(tool) === undefined) throw new Error(`${tool} is needed for this: apt-get install ${tool}`);
  const results = [];
  for (const name of rows ?? Object.keys(mirrorRows)) {
    const figures = await withFolder(async (folder) => {
      const servers = createServers(folder);
      try {
        return await mirrorRows[name]({ folder, quick, rounds, servers, say });
      } finally {
        await servers.stop();
      }
    });
    for (const figure of figures) results.push({ row: name, ...figure, limit: limitOf(figure), met: isMet(figure) });
  }
  say(
    `\nMirroring, medians of ${rounds} rounds; "µs each": processor time a request, "processor": the ratio by that:\n${table(results.map(lineOf))}\n`,
  );
  return results;
}
