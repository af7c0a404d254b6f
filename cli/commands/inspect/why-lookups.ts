// What `libretto why` looks up beside the published tree: the mirror, the CI jobs that published, and the policy. Each
// of them may be unreadable, and the command still reports published versions.

import { RegistryError } from '../../../build/contract/errors.ts';
import { listShortly } from '../../../build/shared/text/list-shortly.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { WhyAnswer } from '../../../build/contract/why.ts';
import type { HeldRelease } from '../../../proxy/policy/admin/held-list.ts';
import type { ExplainedVersion } from '../../../proxy/policy/admin/policy-views.ts';
import { StateError } from '../../../proxy/core/state/state-error.ts';
import { runsOf, type Runs } from '../../builds/published-runs.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';
import type { MirroredName } from '../../mirror/mirrored-name.ts';
import { malwareOf } from '../../../proxy/policy/admin/package-standing.ts';
import { PolicyFileError } from '../../policy/policy-file.ts';
import { malwareLines } from '../../text/policy-trial-text.ts';

/** null if the state or the origin cannot be read: the command still reports published versions. */
export async function mirroredOf(name: PackageName, config: Config, context: Context): Promise<MirroredName | null> {
  const { mirroredName } = await import('../../mirror/mirrored-name.ts');
  try {
    return await mirroredName(name, config, context);
  } catch (error) {
    if (!(error instanceof StateError || error instanceof RegistryError)) throw error;
    printWarnings(context.stderr, [`It is unknown whether the package is mirrored: ${error.message}`]);
    return null;
  }
}

/** null if the policy cannot be read: the command still reports published versions. */
export async function policyOf(
  name: PackageName,
  version: string,
  ...[config, context]: readonly [Config, Context]
): Promise<ExplainedVersion | null> {
  const { policyOnVersion } = await import('../../policy-admin/policy-on-version.ts');
  return orWarning(context, policyOnVersion(name, version, config, context), null);
}

/** What to say of the versions of a package that are malware or blocked; nothing if the policy cannot be read. */
export async function warnedOf(
  name: PackageName,
  ...[config, context]: readonly [Config, Context]
): Promise<readonly string[]> {
  const { warnedVersions } = await import('../../policy-admin/policy-on-version.ts');
  const found = await orWarning(context, warnedVersions(name, config, context), []);
  const held = found.filter(({ state }) => state === 'held').map(({ version }) => version);
  const blocked = found
    .filter(({ refused, state }) => state !== 'held' && (refused || state === 'blocked'))
    .map(({ version }) => version);
  return [
    ...(found.length === 0 ? [] : ['']),
    ...found.flatMap((one) => malwareLines({ name, version: one.version, malware: malwareOf(one) })),
    ...(blocked.length === 0 ? [] : [`Rules of the policy block ${listShortly(blocked)}.`]),
    ...(held.length === 0
      ? []
      : [`Rules of the policy hold ${listShortly(held)}: \`libretto policy explain\` says why.`]),
  ];
}

/** The staged uploads of the package; empty if the state cannot be read. Every person on this host may decide. */
export async function waitingOf(
  name: PackageName,
  version: string | undefined,
  ...[config, context]: readonly [Config, Context]
): Promise<readonly Pick<HeldRelease, 'version' | 'because'>[]> {
  const { stagedOf } = await import('../../policy-admin/policy-on-version.ts');
  const found = await orWarning(context, stagedOf(name, version, config, context), []);
  return found.map(({ version: own, because }) => ({ version: own, because }));
}

export function waitingLines(name: PackageName, waiting: Awaited<ReturnType<typeof waitingOf>>): readonly string[] {
  return waiting.flatMap(({ version, because }) => [
    '',
    `${name} ${version} waits for a decision: ${because}.`,
    `  libretto policy approve ${name} ${version} --reason TEXT`,
    `  libretto policy reject ${name} ${version} --reason TEXT`,
  ]);
}

async function orWarning<Answer>(context: Context, answer: Promise<Answer>, otherwise: Answer): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof StateError || error instanceof PolicyFileError || error instanceof RegistryError))
      throw error;
    printWarnings(context.stderr, [`It is unknown what the policy says of it: ${error.message}`]);
    return otherwise;
  }
}

/** Empty if the state cannot be read: the command still reports published versions. */
export async function publishedRuns(answer: WhyAnswer, config: Config, context: Context): Promise<Runs> {
  try {
    return await runsOf(answer, config);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    printWarnings(context.stderr, [`It is unknown which CI job published the versions: ${error.message}`]);
    return new Map();
  }
}
