// Refuses operations that need a builder on the same host. A server whose tree is at an origin has no builder: another
// host builds and uploads.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Permission } from './permissions.ts';

export const needsBuilder: ReadonlySet<Permission> = new Set<Permission>([
  'createRepository',
  'updateRepository',
  'deleteRepository',
  'verifyRepository',
  'syncRepository',
  'createConnection',
  'planConnection',
  'updateConnection',
  'deleteConnection',
  'refreshConnection',
  'withdrawVersion',
  'purgeVersion',
  'createArtifact',
  'deleteArtifact',
  'cleanUpArtifacts',
  'restoreVersion',
  'rollBack',
]);

/** Throws NOT_AVAILABLE, before anything of the body is read. */
export function assertWithoutBuilder(operation: Permission): void {
  if (needsBuilder.has(operation))
    throw new RegistryError('NOT_AVAILABLE', {
      message:
        'This server serves a tree from another host (setting origin), so it cannot change published versions. ' +
        'Repeat the request on the building host.',
    });
}
