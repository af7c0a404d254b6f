// `npm run documents`: writes the documents for programs, which the package contains and git does not:
// docs/openapi.json, and the JSON Schemas of the commands in docs/reference/json/. `npm pack` and `npm run release`
// write them too.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * Makes them from the sources in TypeScript, which Node.js 20 does not run: they are bundled into a temporary folder.
 *
 * @param {string} root
 */
export async function writeDocuments(root) {
  const folder = mkdtempSync(join(tmpdir(), 'libretto-documents-'));
  try {
    const file = join(folder, 'documents.mjs');
    const bundle = await rolldown({ input: join(root, 'release/documents/shipped-documents.ts'), platform: 'node' });
    await bundle.write({ file, format: 'esm', codeSplitting: false });
    await bundle.close();
    const { shippedDocuments } = await import(pathToFileURL(file).href);
    const documents = shippedDocuments();
    // a schema of a former command is no part of the package
    rmSync(join(root, 'docs/reference/json'), { recursive: true, force: true });
    mkdirSync(join(root, 'docs/reference/json'));
    for (const [path, text] of documents) writeFileSync(join(root, path), text);
    return [...documents.keys()];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const paths = await writeDocuments(dirname(import.meta.dirname));
  process.stdout.write(`${paths[0]} and ${paths.length - 1} schemas in docs/reference/json/ are written.\n`);
}
