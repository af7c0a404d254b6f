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
    test: /build\/contract\/(?:ordering|json|parse-url)\.ts$|build\/shared\/text\/compare-text\.ts$|build\/archive\/package-root\.ts$/,
  },
  { name: 'capabilities', test: /build\/review\/(?:gained-capabilities|finding|loaded-files)\.ts$/ },
  { name: 'zip-directory', test: /build\/archive\/zip-directory\.ts$/ },
  { name: 'zip-members', test: /build\/archive\/zip-members\.ts$/ },
  {
    name: 'faults',
    test: /proxy\/(?:core\/state\/state-error|state\/write-lock)\.ts$|build\/(?:contract\/storage-fault|output\/storage-error|shared\/text\/message-of)\.ts$/,
  },
  { name: 'libdeflate', test: /build\/compression\/compressor\.ts$/ },
  { name: 'files', test: /build\/(?:files\/read-files|archive\/zip-task)\.ts$/ },
  {
    name: 'program',
    test: /cli\/(?:program\/program|config\/config|io\/(?:output|invocation)|remote\/remote|tls\/certificate)\.ts$|build\/contract\/refusals\.ts$|build\/shared\/files\/unusable-file\.ts$|build\/store\/store-failure\.ts$|proxy\/auth\/expiry\.ts$|-error\.ts$/,
  },
  {
    name: 'folder',
    test: /cli\/(?:data-folder\/open-data-folder|state\/(?:open-state|state-settings|lost-state)|tree\/published-tree|io\/progress|config\/public-url|data-folder\/output-store)\.ts$|build\/(?:output\/lock|sources\/(?:data-folder|git-url|git-failure))\.ts$|build\/contract\/(?:serving-index|manifest-serial|advisory-lists|announced-lists|package-texts|version-changes|released-version|signer)\.ts$|build\/shared\/(?:patterns\/package-pattern|concurrency\/(?:single-flight|yielding)|process\/[\w-]+|collections\/group-by|files\/(?:file-stamp|folder-fault|sync-folder))\.ts$|proxy\/state\/rows\.ts$/,
  },
  {
    name: 'records',
    test: /cli\/builds\/(?:build-request|shown-sources)\.ts$|build\/(?:memory\/(?:tree-memory|source-memory)|history\/read-history|record\/(?:check|parse)-composer-json|archive\/safe-paths|archive\/zip-admission\/(?:open-file|zip-refusals|zip-limits)|output\/(?:disk-output|absent-archives)|listing\/working-copy-files|contract\/(?:quarantined|label|artifact-files)|shared\/(?:concurrency\/batch|files\/atomic-file)|documents\/recover-index)\.ts$|proxy\/sync\/list-repositories\.ts$/,
  },
  {
    name: 'common',
    test: /cli\/(?:program\/program|commands\/build\/build)\.ts$|build\/contract\/constraint\.ts$|build\/sources\/git\/git-source\.ts$|build\/shared\/concurrency\/yielding\.ts$|-error\.ts$/,
  },
  {
    name: 'registry',
    test: /cli\/(?:compose\/(?:tokens|settings)|tree\/served-tree|state\/running-server|builds\/git-access)\.ts$|proxy\/(?:core\/(?:tokens\/token-uses|limits\/(?:saved-counters|windows)|protocol\/tombstones|views\/compile-access)|state\/audit(?:-log)?)\.ts$|cli\/text\/address\.ts$/,
  },
  { name: 'server', test: /cli\/serve\/service\.ts$/ },
  // of its pool and of its worker
  { name: 'piscina-parts', test: /node_modules\/piscina\/dist\/(?:common|symbols)\.js$/ },
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
