// Runs `serve` with several workers: the primary process and the workers start from this same file.

import cluster from 'node:cluster';

import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { serveAsPrimary } from './primary.ts';

/** Resolves with the exit code. Throws UsageError. */
export async function serveWithWorkers(config: Config, context: Context): Promise<number> {
  // what a worker needs the primary does not: it stays small
  return cluster.isWorker
    ? (await import('./worker.ts')).serveAsWorker(config, context)
    : serveAsPrimary(config, context);
}
