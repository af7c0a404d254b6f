// Purging on this host: the builder takes the version out of the tree, then the mirror's copies of it go.

import { parsePurgeReason, purgeReasons, type PurgeReason } from '../../build/contract/purged.ts';
import { purgeVersion, type PurgeBuild } from '../../build/purge/purge-version.ts';
import { listPurged } from '../../build/package/purged.ts';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { removePurged } from '../../proxy/mirror/archives/remove-purged.ts';
import type { PurgeRequest } from '../../proxy/packages/version-purger.ts';
import { artifactBuild } from '../builds/artifact-build.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { mirrorFolder } from '../mirror/compose-mirror.ts';
import { mirroredTombstones } from '../mirror/mirrored-tombstones.ts';
import { parsePackageArgument } from './package-command.ts';
import { UsageError } from '../io/usage-error.ts';

/** The builder's outcome, as a child prints it. Throws BuildBusy, BuildRefused and StorageError. */
export async function purgeLocally(
  order: PurgeRequest,
  dryRun: boolean,
  config: Config,
  context: Context,
): Promise<JsonObject> {
  const name = parsePackageArgument(order.name);
  const mirrored = await mirroredTombstones({ ...order, name }, config, context);
  const outcome = await purgeVersion({ ...order, name, dryRun, mirrored }, purgeBuild(config, context));
  if (!dryRun && outcome.outcome !== 'refused')
    await removePurged(mirrorFolder(config), await listPurged(createDiskOutput(config.data.value)));
  return { ...outcome } as unknown as JsonObject;
}

export function purgeBuild(config: Config, context: Context): PurgeBuild {
  const { request, ...build } = artifactBuild(config, context, () => undefined);
  return { ...build, request: { ...request, by: { actor: context.actor, command: 'package purge' } } };
}

/** Throws UsageError for an unknown reason. */
export function purgeReasonFlag(text: unknown): PurgeReason {
  const reason = typeof text === 'string' ? parsePurgeReason(text) : undefined;
  if (reason === undefined)
    throw new UsageError(
      `--reason is ${JSON.stringify(text)}; allowed: ${purgeReasons.join(', ')}. Clients see it. Explain more with ` +
        '--note, which only admins see.',
    );
  return reason;
}

/** Throws UsageError for an invalid reference, or one with too few characters. */
export function contentReferenceFlag(text: unknown): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^[0-9a-f]{7,64}$/i.test(text))
    throw new UsageError(
      `--reference is ${JSON.stringify(text)}; allowed: 7 to 64 hex characters of a commit or a digest. ` +
        '`libretto why PACKAGE VERSION` shows them.',
    );
  return text.toLowerCase();
}
