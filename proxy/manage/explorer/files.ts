// The files of the API explorer: its own files, and two files of Swagger UI, which are read on first demand.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextDocument } from '../../core/http/document.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';

const javascript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

export const explorerFiles = ['explorer.js', 'explorer.css', 'swagger-ui-bundle.js', 'swagger-ui.css'] as const;

export type ExplorerFile = (typeof explorerFiles)[number];

/**
 * Reads each file once, for any number of concurrent requests; two megabytes in total, and as much again in compressed
 * form. Rejects if Swagger UI's files are missing.
 */
export function createExplorerFiles(): (name: ExplorerFile) => Promise<TextDocument> {
  // after a failure the next request tries again
  const loaded = new SingleFlight<TextDocument, ExplorerFile>({ keeps: 'fulfilled' });
  return (name) => loaded.run(name, () => load(name));
}

async function load(name: ExplorerFile): Promise<TextDocument> {
  if (name === 'explorer.js') return new TextDocument(Buffer.from(script), 0, { type: javascript });
  if (name === 'explorer.css') return new TextDocument(Buffer.from(style), 0, { type: css });
  return new TextDocument(await readFile(join(swaggerFolder(), name)), 0, {
    type: name.endsWith('.js') ? javascript : css,
  });
}

/** The compiled program has its own copy beside it. Sources that a test runner transforms use the package. */
function swaggerFolder(): string {
  return import.meta.url.endsWith('.js')
    ? fileURLToPath(new URL('./swagger-ui/', import.meta.url))
    : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
