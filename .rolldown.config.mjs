// `npm run compile`: bundles the sources and all libraries into lib/, since Node reads few files faster than hundreds, and
// the installed package needs no other package. What is imported with import() stays in files of its own.
//
// All files lie in one folder: a module that names another one beside it, as a worker, finds it there whatever has
// become of itself.

import { builtinModules } from 'node:module';
import {
  adaptLibraries,
  copyFiles,
  escapeCharacters,
  listLibraries,
  removeStale,
  replaceModules,
} from './release/bundle-plugins.mjs';

/**
 * Modules with all they import, each group one file. An earlier group takes the modules that a later one imports too.
 *
 * `contract`, `capabilities`, `zip-directory` and `zip-members` are for the review of archives, which loads little else.
 * `libdeflate` and `files` are for workers too, `faults` for the process that reads the state. Every
 * command loads `program`, every build `common`, every server `server`. Commands and servers share `registry`. Servers
 * and builds share `folder`, those with features `records`, too. The last four are for builds: of directories, of
 * remotes, of objects of git, of packages that changed.
 */
const groups = [
  {
    name: 'contract',
    test: modules({
      'build/contract': 'ordering json parse-url',
      'build/shared/text': 'compare-text',
      'build/archive': 'package-root',
    }),
  },
  { name: 'capabilities', test: modules({ 'build/review': 'gained-capabilities finding loaded-files' }) },
  { name: 'zip-directory', test: modules({ 'build/archive': 'zip-directory' }) },
  { name: 'zip-members', test: modules({ 'build/archive': 'zip-members' }) },
  {
    name: 'faults',
    test: modules({
      'proxy/core/state': 'state-error',
      'proxy/state': 'write-lock',
      'build/contract': 'storage-fault',
      'build/output': 'storage-error',
      'build/shared/text': 'message-of',
    }),
  },
  { name: 'libdeflate', test: modules({ 'build/compression': 'compressor' }) },
  { name: 'files', test: modules({ 'build/files': 'read-files', 'build/archive': 'zip-task' }) },
  {
    name: 'program',
    test: modules({
      'cli/program': 'program',
      'cli/config': 'config',
      'cli/io': 'output invocation',
      'cli/remote': 'remote',
      'cli/tls': 'certificate',
      'build/contract': 'refusals',
      'build/shared/files': 'unusable-file',
      'build/store': 'store-failure',
      'proxy/auth': 'expiry',
      '.*': '*-error',
    }),
  },
  {
    name: 'folder',
    test: modules({
      'cli/data-folder': 'open-data-folder output-store',
      'cli/state': 'open-state state-settings lost-state',
      'cli/tree': 'published-tree',
      'cli/io': 'progress',
      'cli/config': 'public-url',
      'build/output': 'lock',
      'build/sources': 'data-folder git-url git-failure',
      'build/contract':
        'serving-index manifest-serial advisory-lists announced-lists package-texts version-changes released-version signer',
      'build/shared/patterns': 'package-pattern',
      'build/shared/concurrency': 'single-flight yielding',
      'build/shared/process': '*',
      'build/shared/collections': 'group-by',
      'build/shared/files': 'file-stamp folder-fault sync-folder',
      'proxy/state': 'rows',
    }),
  },
  {
    name: 'records',
    test: modules({
      'cli/builds': 'build-request shown-sources',
      'build/memory': 'tree-memory source-memory',
      'build/history': 'read-history',
      'build/record': 'check-composer-json parse-composer-json',
      'build/archive': 'safe-paths',
      'build/archive/zip-admission': 'open-file zip-refusals zip-limits',
      'build/output': 'disk-output absent-archives',
      'build/listing': 'working-copy-files',
      'build/contract': 'quarantined label artifact-files',
      'build/shared/concurrency': 'batch',
      'build/shared/files': 'atomic-file',
      'build/documents': 'recover-index',
      'proxy/sync': 'list-repositories',
    }),
  },
  {
    name: 'common',
    test: modules({
      'cli/program': 'program',
      'cli/commands/build': 'build',
      'build/contract': 'constraint',
      'build/sources/git': 'git-source',
      'build/shared/concurrency': 'yielding',
      '.*': '*-error',
    }),
  },
  {
    name: 'registry',
    test: modules({
      'cli/compose': 'tokens settings',
      'cli/tree': 'served-tree',
      'cli/state': 'running-server',
      'cli/builds': 'git-access',
      'cli/text': 'address',
      'proxy/core/tokens': 'token-uses',
      'proxy/core/limits': 'saved-counters windows',
      'proxy/core/protocol': 'tombstones',
      'proxy/core/views': 'compile-access',
      'proxy/state': 'audit audit-log',
    }),
  },
  { name: 'server', test: modules({ 'cli/serve': 'service' }) },
  // of its pool and of its worker
  { name: 'piscina-parts', test: /node_modules\/piscina\/dist\/(?:common|symbols)\.js$/ },
  { name: 'directories', test: modules({ 'build/sources/directory': 'directory-source' }) },
  { name: 'remotes', test: modules({ 'build/sources/git': 'ask-remote' }) },
  {
    name: 'git',
    test: modules({ 'build/sources/git': 'mirror list-refs read-versions open-objects outcome scratch-repository' }),
  },
  { name: 'publication', test: modules({ 'build/package': 'packages', 'build/publish': 'publish' }) },
];

/** Matches modules by folder and name; `*` stands for any characters of a name, `.*` for any folder. */
function modules(folders) {
  const each = Object.entries(folders).map(
    ([folder, names]) => `${folder}/(?:${names.replaceAll('*', '[\\w-]+').replaceAll(' ', '|')})\\.ts$`,
  );
  return new RegExp(each.join('|'));
}

export default {
  input: {
    main: 'cli/main.ts',
    // a process of its own that reads the whole state
    'state-reader': 'cli/state/state-reader.ts',
    'deflate-worker': 'build/archive/deflate-worker.ts',
    'contents-worker': 'cli/inspection/contents-worker.ts',
    'render-worker': 'proxy/packages/render-worker.ts',
    // the thread of Piscina that loads these two
    'piscina-worker': 'node_modules/piscina/dist/worker.js',
    // what tests run in processes and threads of its own
    archiver: 'build/archive/archiver.ts',
    audit: 'proxy/state/audit.ts',
    'lmdb-store': 'proxy/state/lmdb-store.ts',
  },
  platform: 'node',
  transform: { target: 'node20.18' },
  tsconfig: 'tsconfig.json',
  // paths below the repository, even where node_modules is a link to another folder
  resolve: { symlinks: false },
  external: (id) => id.startsWith('node:') || builtinModules.includes(id),
  checks: { ineffectiveDynamicImport: false },
  plugins: [replaceModules(), ...adaptLibraries(), escapeCharacters(), removeStale(), copyFiles(), listLibraries()],
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
