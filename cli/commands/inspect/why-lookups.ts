// What `libretto why` looks up beside the published tree: the mirror, the CI jobs that published, and the policy. Each
// of them may be unreadable, and the command still reports published versions.

import { RegistryError, undefinedIf } from '../../../build/contract/errors.ts';
import { listShortly } from '../../../build/shared/text/list-shortly.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { WhyAnswer } from '../../../build/contract/why.ts';
import type { HeldRelease } from '../../../proxy/policy/admin/held-in-package.ts';
import type { ExplainedVersion } from '../../../proxy/policy/admin/policy-views.ts';
import { StateError } from '../../../proxy/core/state/state-error.ts';
import { runsOf, type Runs } from '../../builds/published-runs.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';
import type { MirroredName } from '../../mirror/mirrored-name.ts';
import { malwareOf, type VersionStanding } from '../../../proxy/policy/admin/package-standing.ts';
import type { PolicyAdmin } from '../../../proxy/policy/admin/policy-admin.ts';
import { howToDecide } from '../../../proxy/policy/model/words.ts';
import type { Operator } from '../../../proxy/auth/caller.ts';
import { PolicyFileError } from '../../policy/policy-file.ts';
import { malwareLines, policyLines } from '../../text/policy-trial-text.ts';

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

export interface PolicyFacts {
  /** null: no rule concerns the version, and it is no malware; or there is no such version */
  readonly policy: ExplainedVersion | null;
  /** staged uploads: every person on this host may decide about them */
  readonly waiting: readonly Pick<HeldRelease, 'version' | 'because'>[];
  readonly lines: readonly string[];
}

/** Nothing if the policy or the state cannot be read: the command still reports published versions. */
export async function policyFactsOf(
  name: PackageName,
  version: string | undefined,
  ...[config, context]: readonly [Config, Context]
): Promise<PolicyFacts> {
  const { withLocalPolicy } = await import('../../policy-admin/local-policy-admin.ts');
  try {
    return await withLocalPolicy(config, context, async (admin) => {
      const reader = { kind: 'operator', actor: context.actor } as const;
      const staged = await admin.staged(name, version, reader);
      const waiting = staged.map(({ version: own, because }) => ({ version: own, because }));
      const policy = version === undefined ? null : await explained(admin, name, version, reader);
      const judged =
        version === undefined ? warned(name, (await admin.standing(name))?.versions ?? []) : policyLines(policy);
      return { policy, waiting, lines: [...judged, ...waiting.flatMap((one) => waitingLines(name, one))] };
    });
  } catch (error) {
    if (!(error instanceof StateError || error instanceof PolicyFileError || error instanceof RegistryError))
      throw error;
    printWarnings(context.stderr, [`It is unknown what the policy says of it: ${error.message}`]);
    return { policy: null, waiting: [], lines: [] };
  }
}

async function explained(
  admin: PolicyAdmin,
  ...[name, version, reader]: [PackageName, string, Operator]
): Promise<ExplainedVersion | null> {
  const found = await admin.explain(name, version, undefined, reader).catch(undefinedIf('NOT_FOUND'));
  if (found === undefined || found.outcome === 'staged') return null;
  return found.findings.length + found.passed.length === 0 && found.malware === null ? null : found;
}

/** The versions of a package that are malware, or that a rule blocks. */
function warned(name: PackageName, versions: readonly VersionStanding[]): readonly string[] {
  const malware = versions.flatMap((one) => malwareLines({ name, version: one.version, malware: malwareOf(one) }));
  const held = versions.filter(({ state }) => state === 'held').map(({ version }) => version);
  const blocked = versions
    .filter(({ refused, state }) => state !== 'held' && (refused || state === 'blocked'))
    .map(({ version }) => version);
  const lines = [
    ...malware,
    ...(blocked.length === 0 ? [] : [`Rules of the policy block ${listShortly(blocked)}.`]),
    ...(held.length === 0
      ? []
      : [`Rules of the policy hold ${listShortly(held)}: \`libretto policy explain\` says why.`]),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function waitingLines(name: PackageName, { version, because }: PolicyFacts['waiting'][number]): readonly string[] {
  return ['', `${name} ${version} waits for a decision: ${because}.`, howToDecide({ name, version })];
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
