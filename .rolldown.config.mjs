// `npm run compile`: bundles the sources into lib/, since Node reads few files faster than hundreds. What is imported
// with import() stays in files of its own.
//
// All files lie in one folder: a module that names another one beside it, as a worker, finds it there whatever has
// become of itself.

import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Builds or servers load these at their start, and most have many files. All other libraries are loaded from
 * node_modules: some bring binaries or workers, the rest is seldom needed.
 */
const bundled = [
  'commander',
  'execa',
  'fast-glob',
  'ora',
  'p-limit',
  'pino',
  'ipaddr.js',
  'zod',
  '@hono/zod-openapi',
  'hono',
  'jose',
  'otpauth',
  'busboy',
  'yauzl',
  'uqr',
];

const isFile = (id) => /^[./\0]/.test(id);
const fromLibrary = (importer) => importer?.includes('/node_modules/') ?? false;

/**
 * Modules with all they import, each group one file. An earlier group takes the modules that a later one imports too.
 *
 * `libdeflate`, `files` and `compression` are for workers too, `faults` for the process that reads the state. Every
 * command loads `program`, every build `common`, every server `server`. Commands and servers share `registry`. The last
 * four are for builds: of directories, of remotes, of objects of git, of packages that changed.
 */
const groups = [
  { name: 'libdeflate', test: /build\/compression\/compressor\.ts$/ },
  { name: 'files', test: /build\/files\/read-file\.ts$/ },
  { name: 'compression', test: /build\/compression\/deflate\.ts$/ },
  {
    name: 'faults',
    test: /proxy\/state\/(?:state-error|write-lock)\.ts$|build\/contract\/storage-fault\.ts$/,
  },
  {
    name: 'program',
    test: /cli\/(?:program\/program|config\/config|io\/output|remote\/remote|tls\/certificate)\.ts$|build\/contract\/refusals\.ts$|build\/shared\/files\/unusable-file\.ts$|-error\.ts$/,
  },
  {
    name: 'common',
    test: /cli\/(?:program\/program|commands\/build\/build)\.ts$|build\/contract\/constraint\.ts$|build\/sources\/git\/git-source\.ts$|-error\.ts$/,
  },
  {
    name: 'registry',
    test: /cli\/(?:compose\/(?:tokens|settings)|tree\/served-tree|builds\/git-access)\.ts$|proxy\/(?:auth\/token-uses|limits\/saved-counters|protocol\/tombstones|state\/audit(?:-log)?|views\/compile-access)\.ts$|cli\/text\/address\.ts$/,
  },
  { name: 'server', test: /cli\/serve\/service\.ts$/ },
  { name: 'directories', test: /build\/sources\/directory\/directory-source\.ts$/ },
  { name: 'remotes', test: /build\/sources\/git\/ask-remote\.ts$/ },
  {
    name: 'git',
    test: /build\/sources\/git\/(?:mirror|list-refs|read-versions|open-objects|outcome|scratch-repository)\.ts$/,
  },
  { name: 'publication', test: /build\/(?:package\/packages|publish\/publish)\.ts$/ },
];

export default {
  input: {
    main: 'cli/main.ts',
    // a process of its own that reads the whole state
    'state-reader': 'cli/state/state-reader.ts',
    'deflate-worker': 'build/archive/deflate-worker.ts',
    'render-worker': 'proxy/packages/render-worker.ts',
    // what tests run in processes and threads of its own
    archiver: 'build/archive/archiver.ts',
    audit: 'proxy/state/audit.ts',
    'lmdb-store': 'proxy/state/lmdb-store.ts',
  },
  platform: 'node',
  transform: { target: 'node20.18' },
  tsconfig: 'tsconfig.json',
  external: (id, importer) =>
    !isFile(id) && !fromLibrary(importer) && !bundled.some((name) => id === name || id.startsWith(`${name}/`)),
  checks: { ineffectiveDynamicImport: false },
  plugins: [removeStale()],
  output: {
    dir: 'lib/cli',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // --debug makes the stacks of errors name the sources
    sourcemap: true,
    codeSplitting: { groups: groups.map((group, index) => ({ ...group, priority: groups.length - index })) },
  },
};

/** Afterwards, and file by file: a program that is running goes on finding what it has not loaded yet. */
function removeStale() {
  return {
    name: 'remove-stale',
    writeBundle({ dir }, bundle) {
      for (const name of readdirSync(dir)) if (!(name in bundle)) rmSync(join(dir, name), { recursive: true });
      for (const name of readdirSync(dirname(dir)))
        if (name !== 'cli') rmSync(join(dirname(dir), name), { recursive: true });
    },
  };
}
