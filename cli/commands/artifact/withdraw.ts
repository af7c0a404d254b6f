// `libretto artifact withdraw`: withdraws a published upload for the service, which reads the outcome as JSON.

import { withdrawArtifact } from '../../../build/artifacts/withdraw-artifact.ts';
import { artifactBuild } from '../../builds/artifact-build.ts';
import { orDamagedList } from '../../builds/damaged-list.ts';
import type { CommandInput } from '../../io/command.ts';
import { loadConfig } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printJson } from '../../io/output.ts';
import { refuseUnpublished } from '../../tree/damaged-tree.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { contentIn } from './content-flags.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { environment, workingDirectory, stdout } = context;
  const config = await withStateSettings(await loadConfig({ flags, environment, workingDirectory }), context);
  const content = contentIn({ ...flags, name: operands[0] });
  refuseUnpublished(config.data.value);
  const outcome = await orDamagedList(withdrawArtifact(content, artifactBuild(config, context)));
  printJson(stdout, outcome);
  return outcome.outcome === 'withdrawn' ? 0 : 1;
}
