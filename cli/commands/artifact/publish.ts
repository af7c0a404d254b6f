// `libretto artifact publish`: publishes an upload of the service, which reads the outcome as JSON. Exit code 1 for one
// that was refused.

import { publishApproved, publishArtifact } from '../../../build/artifacts/publish-artifact.ts';
import { artifactBuild } from '../../builds/artifact-build.ts';
import { orDamagedList } from '../../builds/damaged-list.ts';
import type { CommandInput } from '../../io/command.ts';
import { contentIn } from './content-flags.ts';
import { readUploadRules, type UploadRules } from '../../builds/upload-rules.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printJson } from '../../io/output.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { withStateSettings } from '../../state/state-settings.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { environment, workingDirectory, stdout } = context;
  const config = await withStateSettings(await loadConfig({ flags, environment, workingDirectory }), context);
  const build = artifactBuild(config, context);
  const { objection, isRejected } = await rulesOf(config);
  const upload = {
    path: operands[0] ?? '',
    name: flags['name'] as string | undefined,
    version: flags['asVersion'] as string | undefined,
    stages: flags['staged'] === true,
    objection: flags['trustedPublisher'] === true ? undefined : objection,
    isRejected,
  };
  const outcome = await orDamagedList(
    flags['reference'] === undefined
      ? publishArtifact(upload, build)
      : publishApproved(contentIn(flags), build, isRejected),
  );
  printJson(stdout, outcome);
  return outcome.outcome === 'refused' ? 1 : 0;
}

/** Without a state there is none. A state that cannot be read refuses the upload. */
async function rulesOf(config: Config): Promise<Partial<UploadRules>> {
  const state = await openStateIfAny(config);
  return state === undefined ? {} : readUploadRules(state).finally(() => state.close());
}
