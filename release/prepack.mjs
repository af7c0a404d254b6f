// What npm runs before `npm pack`, after the bundle: it writes the documents for programs, and completes lib/. Without
// a network, the package is for this system alone, and a warning says so. `npm run release` refuses that. With
// --this-system it asks no network, and says nothing.

import { dirname } from 'node:path';
import process from 'node:process';
import { completePackage } from './complete-package.mjs';
import { writeDocuments } from './documents.mjs';

const onlyThisSystem = process.argv.includes('--this-system');
const root = dirname(import.meta.dirname);
await writeDocuments(root);
const missing = await completePackage(root, { mayFetch: !onlyThisSystem });
for (const { name, reason } of onlyThisSystem ? [] : missing)
  process.stderr.write(
    `The package will not run on ${name.replace('@lmdb/lmdb-', '')}: npm cannot fetch ${name} (${reason}). ` +
      'Run `npm pack` again when the registry answers.\n',
  );
