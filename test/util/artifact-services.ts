// The services of the artifact operations, composed as in `serve`, over a data folder of a test. The builder is the
// compiled program.

import { randomBytes } from 'node:crypto';
import { createArtifacts } from '../../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../../proxy/artifacts/child-publisher.ts';
import type { UploadServices } from '../../proxy/manage/routes/upload.ts';
import { createUploads, standardLimits, type UploadLimits } from '../../proxy/artifacts/uploads.ts';
import type { AuditedStore } from '../../proxy/state/audit.ts';
import { builderOf } from './builder.ts';

/** `data`: the data folder, absolute. */
export function artifactServices(
  store: AuditedStore,
  now: () => number,
  data: string,
  limits?: Partial<UploadLimits>,
): Omit<UploadServices, 'policyAdmin' | 'runOfToken' | 'settings'> {
  const builder = builderOf(data);
  return {
    artifactsOf: (actor) =>
      createArtifacts({
        store,
        now,
        randomBytes,
        actor,
        publisher: createChildPublisher(builder, actor),
        dataDirectory: data,
      }),
    uploads: createUploads(data, { ...standardLimits, ...limits }),
  };
}
