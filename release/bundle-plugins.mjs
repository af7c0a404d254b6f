// Plugins of .rolldown.config.mjs. They put into lib/ what an import alone does not bring: LMDB's binaries, the files
// of Swagger UI, the worker of Piscina, and the list of the libraries inside.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { binaryPackages, copyBinaries, writeIfChanged } from './binaries.mjs';

const root = dirname(import.meta.dirname);
const inPackages = (path) => join(root, 'node_modules', path);

/** The files of Swagger UI that proxy/manage/explorer/files.ts serves. */
export const swaggerFiles = ['swagger-ui-bundle.js', 'swagger-ui.css'];

/** Folders below lib/cli that are not the bundler's. */
const ownFolders = ['console', 'lmdb', 'swagger-ui'];

/** Replaces modules of libraries by others. */
export function replaceModules() {
  const loader = JSON.stringify(join(root, 'proxy/state/lmdb-binary.ts'));
  return {
    name: 'replace-modules',
    resolveId(id, importer) {
      if (id === 'node-gyp-build-optional-packages') return '\0lmdb-binary';
      // sets the priority of threads, which no pool here asks for
      if (id === '@napi-rs/nice') return '\0empty';
      // messages in 50 languages, which every start would parse
      if (id === '../locales/index.js' && importer?.includes('/node_modules/zod/') === true) return '\0empty';
      // the variant without a binary of its own: the state is JSON, and msgpackr encodes nothing
      return id === 'msgpackr' ? inPackages('msgpackr/index.js') : undefined;
    },
    load(id) {
      if (id === '\0empty') return 'export {};';
      return id === '\0lmdb-binary' ? `export { loadLmdbBinary as default } from ${loader};` : undefined;
    },
  };
}

/** Changes two places of libraries that work only in files of their own. */
export function adaptLibraries() {
  return [
    adapt('piscina/dist/index.js', "(0, node_path_1.resolve)(__dirname, 'worker.js')", () => {
      // an entry of the bundle
      return "new URL('./piscina-worker.js', import.meta.url)";
    }),
    // the text uses variables of its module, which the bundler may rename
    adapt('ordered-binary/index.js', 'eval(makeStringBuilder())', (code) => {
      const [maker] = /^function makeStringBuilder\(\) \{[^]*?^\}/m.exec(code) ?? [''];
      return `(${new Function('fromCharCode', `${maker}; return makeStringBuilder();`)(String.fromCharCode)})`;
    }),
  ];
}

/** Replaces a text in one file of a library. Throws where another version of the library has another text. */
function adapt(file, text, replacement) {
  return {
    name: `adapt ${file}`,
    transform: {
      filter: { id: new RegExp(`/node_modules/${file.replaceAll('.', '\\.')}$`) },
      handler(code) {
        if (code.split(text).length !== 2) throw new Error(`node_modules/${file} has no place with the text ${text}.`);
        return { code: code.replace(text, () => replacement(code)), map: null };
      },
    },
  };
}

/**
 * Escapes every character beyond ASCII: with a single “ V8 keeps two bytes for each character of the file, and compiles
 * it more slowly. Throws for the places where an escape is another text.
 */
export function escapeCharacters() {
  return {
    name: 'escape-characters',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !beyondAscii.test(chunk.code)) continue;
        if (escapedOrRaw.test(chunk.code))
          throw new Error(`${chunk.fileName} has a character beyond ASCII after \\ or in String.raw: use \\u there.`);
        chunk.code = chunk.code.replace(
          new RegExp(beyondAscii, 'g'),
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
      }
    },
  };
}

const beyondAscii = /[\u0080-\uffff]/;
const escapedOrRaw = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]|\braw`[^`]*[\u0080-\uffff]/;

/** The files that proxy/console/assets/assets.ts serves. */
const consoleAssets = 'proxy/console/assets';

/** Copies Swagger UI's files, the files of the console, and LMDB's binaries of the installed packages: npm installs those of this system. */
export function copyFiles() {
  return {
    name: 'copy-files',
    writeBundle({ dir }) {
      for (const name of swaggerFiles)
        writeIfChanged(join(dir, 'swagger-ui', name), readFileSync(inPackages(`swagger-ui-dist/${name}`)));
      for (const name of readdirSync(join(root, consoleAssets), { recursive: true }))
        if (/\.(?:css|js|svg)$/.test(name))
          writeIfChanged(join(dir, 'console', name), readFileSync(join(root, consoleAssets, name)));
      for (const name of binaryPackages) if (existsSync(inPackages(name))) copyBinaries(name, inPackages(name), dir);
    },
  };
}

/** Writes lib/libraries.json: the folders of all packages of node_modules that the bundle has modules of. */
export function listLibraries() {
  return {
    name: 'list-libraries',
    writeBundle({ dir }, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
      const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
      const libraries = [...new Set(folders.map((folder) => relative(root, folder)))].sort();
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dirname(dir), 'libraries.json'), `${JSON.stringify(libraries, undefined, 2)}\n`);
    },
  };
}

/** Removes old files afterwards, and one by one: a program that is running goes on finding what it has not loaded yet. */
export function removeStale() {
  return {
    name: 'remove-stale',
    writeBundle({ dir }, bundle) {
      for (const name of readdirSync(dir))
        if (!(name in bundle) && !ownFolders.includes(name)) rmSync(join(dir, name), { recursive: true });
      for (const name of readdirSync(dirname(dir)))
        if (name !== 'cli') rmSync(join(dirname(dir), name), { recursive: true });
    },
  };
}
