// Tests that docs/reference/listing.txt lists the operations, commands and JSON documents of the program.
// `npm run accept` writes the file.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProgram } from '../../cli/program/program.ts';
import type { ProcessContext } from '../../cli/io/context.ts';
import { apiDescription } from '../../release/documents/api-description.ts';
import { describeListing } from './describe-listing.ts';
import { root } from './source-files.ts';

it('docs/reference/listing.txt lists every operation, command and JSON document with its fields', async () => {
  const listing = describeListing(
    apiDescription(),
    createProgram({} as ProcessContext, () => undefined),
  );
  expect(listing.split('\n').filter((line) => line.length > 160)).toEqual([]);
  await expect(listing).toMatchFileSnapshot(join(root, 'docs/reference/listing.txt'));
});
