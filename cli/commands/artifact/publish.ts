// `libretto artifact publish`: publishes an upload of the service, which reads the outcome as JSON. Exit code 1 for one
// that was refused.

import { publishArtifact } from '../../../build/artifacts/publish-artifact.ts';
import { artifactBuild } from '../../builds/artifact-build.ts';
import { orDamagedList } from '../../builds/damaged-list.ts';
import type { Given } from '../../io/command.ts';
import { loadConfig } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printJson } from '../../io/output.ts';
import { withStateSettings } from '../../state/state-settings.ts';

export async function run(context: Context, { flags, operands }: Given): Promise<number> {
  const { environment, workingDirectory, stdout } = context;
  const config = await withStateSettings(await loadConfig({ flags, environment, workingDirectory }), context);
  const upload = {
    path: operands[0] ?? '',
    name: flags['name'] as string | undefined,
    version: flags['asVersion'] as string | undefined,
  };
  const outcome = await orDamagedList(
    publishArtifact(
      upload,
      artifactBuild(config, context, () => undefined),
    ),
  );
  printJson(stdout, outcome);
  return outcome.outcome === 'published' ? 0 : 1;
}
