// The documents for programs that the package contains and git does not. `npm run documents` writes them.

import { apiDescription } from './api-description.ts';
import { describedCommands, schemaFileOf, schemaOf } from './command-schemas.ts';

/** Paths from the root of the repository, with the text of each file: without white space, since programs read them. */
export function shippedDocuments(): ReadonlyMap<string, string> {
  const schemas = describedCommands.map((path): [string, object] => [
    `docs/reference/json/${schemaFileOf(path)}`,
    schemaOf(path),
  ]);
  return new Map(
    [['docs/openapi.json', apiDescription()] as [string, object], ...schemas].map(([path, document]) => [
      path,
      `${JSON.stringify(document)}\n`,
    ]),
  );
}
