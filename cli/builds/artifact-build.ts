// Configuration → how artifacts are published and withdrawn by the builder.

import type { VersionBuild } from '../../build/artifacts/artifact-tree.ts';
import type { BuildEffects } from '../../build/scan/build-request.ts';
import { waitLine } from '../io/progress.ts';
import { buildRequest } from './build-request.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

/** How long to wait for a running build. */
const waitMs = 60_000;

export function artifactBuild(
  config: Config,
  context: Context,
  progress: BuildEffects['progress'] = waitLine(context.remarks),
): VersionBuild {
  const { environment, now } = context;
  const request = buildRequest(config, context, { command: 'publish' });
  return { request, effects: { now, progress, environment }, waitMs };
}
