// The advice about credentials for a registered repository: a build of the command line uses those of its user, and a
// registered repository never does.

import { withRemedy } from '../../build/sources/git-failure.ts';
import type { RepositoryRecord } from '../../proxy/sync/repository.ts';

/** `reason`: why the repository could not be read, with advice for any source. */
export function registeredReason({ id, forge, credentials }: RepositoryRecord, reason: string): string {
  const command =
    forge !== undefined && credentials === null
      ? `give its connection others: \`libretto connection update ${forge.connection} --token-file FILE\`.`
      : `give this repository others: \`libretto repository update ${id}\` with --password-file, --token-file or --key-file.`;
  return withRemedy(reason, command);
}
