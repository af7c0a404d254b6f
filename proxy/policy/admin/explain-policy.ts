// What the policy says of a version, as people and uploaders read it: also of a staged one, and with names.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import type { ArtifactRecord } from '../../artifacts/artifact.ts';
import { StateError } from '../../core/state/state-error.ts';
import { isHolding } from '../model/weakened-hold.ts';
import { explainVersion, notFound, withheldVersions } from './explain-version.ts';
import type { HeldRelease } from './held-in-package.ts';
import { stagedReleases, withApprovals, type HeldParts } from './held-list.ts';
import { malwareOf, readStanding } from './package-standing.ts';
import type { ExplainedVersion } from './policy-views.ts';
import type { TokenProfile } from './token-profiles.ts';
import { named, withNames, type Reader } from './with-names.ts';

export interface ExplainingParts extends HeldParts {
  readonly store: HeldParts['store'] & Parameters<typeof withNames>[0];
  readonly tokens: () => Promise<readonly TokenProfile[]>;
  readonly now: () => number;
}

/** What an upload answers beside its record. */
export interface UploadHold {
  /** completes a sentence; absent: no rule holds it */
  readonly held?: string;
  readonly notices: readonly string[];
}

/** Without a rule that holds releases, nothing is read. The upload is published, whatever this finds. */
export async function holdOn(
  { reader, packages, now }: ExplainingParts,
  name: PackageName,
  version: string,
): Promise<UploadHold> {
  try {
    const policy = await reader.current(now());
    if (!policy.compiled.rules.some(({ given }) => isHolding(given))) return { notices: [] };
    const explained = await explainVersion(policy, packages, { name, version, token: undefined, nowMs: now() });
    const holds = policy.compiled.rules.filter(({ given }) => isHolding(given)).map(({ given }) => given.name);
    const found = explained.findings.find(({ rule, exception }) => holds.includes(rule) && exception === null);
    return { ...(found !== undefined && { held: found.because }), notices: [] };
  } catch (error) {
    const isBehind = error instanceof RegistryError && error.code === 'NOT_FOUND';
    if (!isBehind && !(error instanceof UnusableFile || error instanceof StateError)) throw error;
    const why = isBehind ? 'this server has not followed the object store yet' : error.message;
    const notice = `It is unknown whether a rule holds ${name} ${version}: ${why}. \`libretto policy held\` shows it later.`;
    return { notices: [notice] };
  }
}

export async function explainPolicyOn(
  options: ExplainingParts,
  ...[name, version, id, caller]: [PackageName, string, string | undefined, Reader]
): Promise<ExplainedVersion> {
  const { store, reader, packages, now } = options;
  const token = id === undefined ? undefined : await findToken(options, id);
  const asked = { name, version, token, nowMs: now() };
  const explained = await explainVersion(await reader.current(now()), packages, asked).catch(async (error: unknown) => {
    const isUnknown = error instanceof RegistryError && error.code === 'NOT_FOUND';
    // all who ask this may list what waits
    const [one] = isUnknown ? await stagedOf(options, name, version) : [];
    if (one === undefined) throw error;
    return explainStaged(one);
  });
  const standing = await readStanding(options, name, now());
  const found = standing?.versions.find((one) => one.version === explained.version);
  const byName = async (one: ExplainedVersion['approval']): Promise<ExplainedVersion['approval']> =>
    one && { ...one, by: await withNames(store, caller, one.by) };
  return {
    ...explained,
    findings: [...(await named(store, caller, explained.findings))],
    approval: await byName(explained.approval),
    rejection: await byName(explained.rejection),
    malware: found === undefined ? null : malwareOf(found),
  };
}

function explainStaged({ name, version, origin, rule, because }: HeldRelease): Omit<ExplainedVersion, 'malware'> {
  return {
    name,
    version,
    origin,
    outcome: 'staged',
    findings: [{ rule, action: 'block', because, held: true, exception: null }],
    passed: [],
    former_reference: null,
    approval: null,
    rejection: null,
  };
}

export async function stagedOf(
  options: ExplainingParts,
  name: string,
  version?: string,
): Promise<readonly HeldRelease[]> {
  const normalized = version === undefined ? undefined : normalizeVersion(version);
  const isAsked = (one: ArtifactRecord): boolean =>
    one.name === name && (version === undefined || one.version_normalized === normalized);
  return withApprovals(options, await stagedReleases(options, isAsked, options.now()));
}

export async function withheldFrom(
  options: ExplainingParts,
  name: PackageName,
  id: string,
): Promise<ReadonlySet<string>> {
  const nowMs = options.now();
  const question = { name, token: await findToken(options, id), nowMs };
  return withheldVersions(await options.reader.current(nowMs), options.packages, question);
}

async function findToken({ tokens }: ExplainingParts, id: string): Promise<TokenProfile> {
  const found = (await tokens()).find((token) => token.id === id);
  if (found === undefined) throw notFound(`There is no token with the id ${JSON.stringify(id.slice(0, 80))}.`);
  return found;
}
