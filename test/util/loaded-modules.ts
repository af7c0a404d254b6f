// Lists the modules that a process and its children have loaded. Node writes the modules to NODE_V8_COVERAGE when the
// process ends. The source maps of the bundle name the sources of its files.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Modules of the product, relative to the repository, such as `proxy/core/server.ts`. */
export function loadedSources(coverage: string): readonly string[] {
  return bundledSources(coverage).filter((source) => /^(?:build|cli|proxy)\//.test(source));
}

/** Names of the loaded packages of node_modules, inside the bundle or not. */
export function loadedLibraries(coverage: string): readonly string[] {
  const paths = [...bundledSources(coverage), ...loadedFiles(coverage)];
  const names = paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** Files that were loaded from node_modules: the compiled program has none. */
export function loadedPackageFiles(coverage: string): readonly string[] {
  return loadedFiles(coverage).filter((url) => url.includes('/node_modules/'));
}

function bundledSources(coverage: string): readonly string[] {
  return (
    loadedFiles(coverage)
      // the bundler's own files have no map
      .filter((url) => url.includes('/lib/cli/') && existsSync(new URL(`${url}.map`)))
      .flatMap((url) =>
        (JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')) as { sources: string[] }).sources.map((source) =>
          source.replace(/^(?:\.\.\/)+/, ''),
        ),
      )
  );
}

function loadedFiles(coverage: string): readonly string[] {
  const urls = readdirSync(coverage).flatMap((file) =>
    (JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] }).result.map(
      ({ url }) => url,
    ),
  );
  return [...new Set(urls)];
}
