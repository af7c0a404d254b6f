// Runs `serve` with several workers: the primary process and the workers start from this same file.

import cluster from 'node:cluster';

import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { serveAsPrimary } from './primary.ts';

/** Resolves with the exit code. Throws UsageError. */
export async function serveWithWorkers(config: Config, context: Context): Promise<number> {
  // the primary stays small: it does not load the worker's modules
  return cluster.isWorker
    ? (await import('./worker.ts')).serveAsWorker(config, context)
    : serveAsPrimary(config, context);
}
