// Measures serving against nginx with one worker and the same files. Each promise is one row. wrk sends requests over
// 32 connections.

import { findTool } from '../setup/tools.mjs';
import { isMet, limitOf } from './expectation.mjs';
import { table, withFolder } from './measure.mjs';
import { bandwidth } from './serve/bandwidth.mjs';
import { console as pages } from './serve/console.mjs';
import { notifications } from './serve/notifications.mjs';
import { policy } from './serve/policy.mjs';
import { usage } from './serve/usage.mjs';
import { requests } from './serve/requests.mjs';
import { review } from './serve/review.mjs';
import { createServers } from './serve/servers.mjs';
import { start } from './serve/start.mjs';
import { views } from './serve/views.mjs';
import { workers } from './serve/workers.mjs';

export const serveRows = {
  requests,
  bandwidth,
  start,
  views,
  workers,
  console: pages,
  notifications,
  policy,
  review,
  usage,
};

export async function benchServe({ quick, rounds, rows, say }) {
  for (const tool of ['wrk', 'nginx', 'redis-server'])
    if (findTool(tool) === undefined) throw new Error(`${tool} is needed for this: apt-get install ${tool}`);
  const results = [];
  for (const name of rows ?? Object.keys(serveRows)) {
    const figures = await withFolder(async (folder) => {
      const servers = createServers(folder);
      try {
        return await serveRows[name]({ folder, quick, rounds, servers, say });
      } finally {
        await servers.stop();
      }
    });
    for (const figure of figures) results.push({ row: name, ...figure, limit: limitOf(figure), met: isMet(figure) });
  }
  say(
    `\nServing, medians of ${rounds} rounds; "µs each": processor time a request, "processor": the ratio by that:\n${table(results.map(lineOf))}\n`,
  );
  return results;
}

/** A figure as a line of the table. */
export const lineOf = ({
  what,
  unit,
  value,
  beside,
  besideValue,
  ours,
  microseconds,
  processor,
  atLeast,
  atMost,
  met,
}) => ({
  what,
  ours: `${rounded(value)} ${unit}`,
  beside: beside === undefined ? '' : `${beside} ${rounded(besideValue)} ${unit}`,
  'µs each': microseconds === undefined || Number.isNaN(microseconds) ? '' : microseconds.toFixed(1),
  ratio: beside === undefined ? '' : ours.toFixed(2),
  processor: processor === undefined || Number.isNaN(processor) ? '' : processor.toFixed(2),
  expected: atLeast === undefined ? (atMost === undefined ? '' : `≤ ${atMost}`) : `≥ ${atLeast}`,
  met: met === undefined ? '' : met ? 'yes' : 'NO',
});

const rounded = (value) => (value < 100 ? value.toFixed(1) : value.toFixed(0));
