// Runs wrk once, or in rounds in which servers take turns.

import { median, run } from '../measure.mjs';
import { processorSeconds } from './servers.mjs';

export const connections = 32;

/** One run. Throws unless every answer is 200 or 304. */
export async function wrk({ url, processId }, path, headers, seconds, most = connections) {
  const before = processorSeconds(processId);
  const output = await run('wrk', [
    '-t1',
    `-c${most}`,
    `-d${seconds}s`,
    '--timeout',
    '30s',
    '--latency',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    url + path,
  ]);
  const after = processorSeconds(processId);
  const wrong = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(output);
  if (wrong !== null) throw new Error(`${url}${path}: ${wrong[0]}`);
  const [, requests] = /(\d+) requests in/.exec(output);
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(output);
  const [, amount, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(output);
  const [, bytes, scale] = /Transfer\/sec:\s+([\d.]+)([KMG]?)B/.exec(output);
  return {
    rate: Number(rate),
    p99: Number(amount) * { us: 0.001, ms: 1, s: 1000 }[unit],
    mbPerSecond: Number(bytes) * { '': 1e-6, K: 1 / 1024, M: 1, G: 1024 }[scale],
    microseconds: before === undefined ? Number.NaN : ((after - before) / Number(requests)) * 1e6,
    /** processor time for each second of sending */
    share: before === undefined ? Number.NaN : (after - before) / seconds,
  };
}

/** `runs`: name → a function that runs once. Each runs once a round; returns the medians by name. */
export async function inTurns(runs, rounds) {
  const samples = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of Object.entries(runs)) samples[name].push(await measure());
  }
  return Object.fromEntries(
    Object.entries(samples).map(([name, all]) => [
      name,
      Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((one) => one[key]))])),
    ]),
  );
}
