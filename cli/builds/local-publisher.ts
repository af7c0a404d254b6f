// Publishes artifacts in this process, for commands on the host of the registry.

import type { ArtifactBuild } from '../../build/artifacts/artifact-tree.ts';
import { publishArtifact } from '../../build/artifacts/publish-artifact.ts';
import { withdrawArtifact } from '../../build/artifacts/withdraw-artifact.ts';
import type { Reference } from '../../build/contract/digest.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { DistLabel } from '../../build/contract/paths.ts';
import type { ArtifactPublisher } from '../../proxy/artifacts/publisher.ts';
import { readPublication, readWithdrawal } from '../../proxy/artifacts/read-outcome.ts';

/** `notice` gets the build's remarks on the package. */
export function createLocalPublisher(build: ArtifactBuild, notice: (message: string) => void): ArtifactPublisher {
  return {
    publish: async (upload) => {
      const outcome = await publishArtifact(upload, build);
      if (outcome.outcome === 'published') outcome.notices.forEach(notice);
      return readPublication(outcome);
    },
    // the record was made from the builder's answer, which parsed these texts
    withdraw: async ({ name, version, reference }) =>
      readWithdrawal(
        await withdrawArtifact(
          { name: name as PackageName, version: version as DistLabel, reference: reference as Reference },
          build,
        ),
      ),
  };
}
