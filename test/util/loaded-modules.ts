// Lists the modules that a process and its children have loaded. Node writes the modules to NODE_V8_COVERAGE when the
// process ends. The source maps of the bundle name the sources of its files.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Modules of the product, relative to the repository, such as `proxy/server.ts`. */
export function loadedSources(coverage: string): readonly string[] {
  return (
    loadedFiles(coverage)
      // the bundler's own files have no map
      .filter((url) => url.includes('/lib/cli/') && existsSync(new URL(`${url}.map`)))
      .flatMap((url) =>
        (JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as { sources: string[] }).sources
          .map((source) => source.replace(/^(?:\.\.\/)+/, ''))
          .filter((source) => /^(?:build|cli|proxy)\//.test(source)),
      )
  );
}

/** Names of the loaded packages of node_modules. */
export function loadedLibraries(coverage: string): readonly string[] {
  const names = loadedFiles(coverage).flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function loadedFiles(coverage: string): readonly string[] {
  const urls = readdirSync(coverage).flatMap((file) =>
    (JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] }).result.map(
      ({ url }) => url,
    ),
  );
  return [...new Set(urls)];
}
