// The services of the artifact operations, composed as in `serve`, over a data folder of a test. The builder is the
// compiled program in a process of its own.

import { randomBytes } from 'node:crypto';
import { createArtifacts } from '../../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../../proxy/artifacts/child-publisher.ts';
import type { UploadServices } from '../../proxy/manage/routes/upload.ts';
import { createUploads, standardLimits, type UploadLimits } from '../../proxy/artifacts/uploads.ts';
import type { AuditedStore } from '../../proxy/state/audit.ts';
import { createChildBuild } from '../../proxy/sync/child-build.ts';
import { binary, cleanEnvironment } from './run-cli.ts';

/** `data`: the data folder, absolute. */
export function artifactServices(
  store: AuditedStore,
  now: () => number,
  data: string,
  limits?: Partial<UploadLimits>,
): Omit<UploadServices, 'runOfToken'> {
  const builder = createChildBuild({
    program: [process.execPath, binary],
    environment: cleanEnvironment(),
    workingDirectory: '/',
    flags: ['--data', data],
  });
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
