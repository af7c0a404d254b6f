// Refuses operations that need a builder on the same host. A server whose tree is at an origin has no builder: another
// host builds and uploads.

import { RegistryError } from '../../build/contract/errors.ts';
import type { OperationId } from './policy.ts';

export const needsBuilder: ReadonlySet<OperationId> = new Set([
  'createRepository',
  'updateRepository',
  'deleteRepository',
  'verifyRepository',
  'syncRepository',
  'withdrawVersion',
  'purgeVersion',
  'createArtifact',
  'deleteArtifact',
  'cleanUpArtifacts',
]);

/** Throws NOT_AVAILABLE, before anything of the body is read. */
export function assertWithoutBuilder(operation: OperationId): void {
  if (needsBuilder.has(operation))
    throw new RegistryError('NOT_AVAILABLE', {
      message:
        'This server serves a tree from another host (setting origin), so it cannot change published versions. ' +
        'Repeat the request on the building host.',
    });
}
