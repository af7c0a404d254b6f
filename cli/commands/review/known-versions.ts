// What the registry at hand knows of the versions that a lock review names: a data folder, or a remote registry. Without
// one the review shows what the lock files say.

import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject } from '../../../build/contract/json.ts';
import { parsePackageName } from '../../../build/contract/name.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import type { KnownAdvisory, KnownOf, KnownVersion } from '../../../build/review/lock-review.ts';
import { affectsSome } from '../../../proxy/notifications/model/affects.ts';
import { explainPolicy } from '../../../proxy/policy/admin/operations.ts';
import type { PolicyAdmin } from '../../../proxy/policy/admin/policy-admin.ts';
import type { ExplainedVersion } from '../../../proxy/policy/admin/policy-views.ts';
import { advisoriesIn } from '../../../proxy/policy/judge/facts.ts';
import { Readable } from 'node:stream';
import type { Operator } from '../../../proxy/auth/caller.ts';
import type { Remote } from '../../remote/remote.ts';

/** A changed package of the locks; null: one of the two has not got it. */
export interface VersionsToKnow {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Reads a data folder; asks for nothing elsewhere. */
export async function knownLocally(
  policy: PolicyAdmin,
  changed: readonly VersionsToKnow[],
  operator: Operator,
): Promise<KnownOf> {
  const known = new Map<string, KnownVersion>();
  for (const { name: text, from, to } of changed) {
    const name = parsePackageName(text);
    const standing = name === undefined ? undefined : await policy.standing(name);
    if (name === undefined || standing === undefined) continue;
    for (const version of [from, to]) {
      const normalized = version === null ? undefined : normalizeVersion(version);
      const found = standing.versions.find((one) => normalizeVersion(one.version) === normalized);
      if (version === null || normalized === undefined || found === undefined) continue;
      known.set(`${text} ${version}`, {
        advisories: found.concerns.filter(({ isMalware }) => !isMalware).map(({ id, title }) => ({ id, title })),
        ...judgedBy(await policy.explain(name, found.version, undefined, operator)),
      });
    }
  }
  return (name, version) => known.get(`${name} ${version}`);
}

interface RemotelyKnown {
  readonly knownOf: KnownOf;
  /** false: the token may not ask what the policy says */
  readonly asksPolicy: boolean;
}

/** One request for all advisories, and one about the policy for each new version. Throws what requests throw. */
export async function knownRemotely(remote: Remote, changed: readonly VersionsToKnow[]): Promise<RemotelyKnown> {
  const { callRemotely } = await import('../../remote/call-remotely.ts');
  const named = changed.filter(({ name }) => parsePackageName(name) !== undefined);
  const names = named.map(({ name }) => name);
  const advisories = await remoteAdvisories(remote, names);
  const judged = new Map<string, Pick<KnownVersion, 'malware' | 'held'>>();
  let asksPolicy = true;
  for (const { name, to } of named) {
    if (to === null || !asksPolicy) continue;
    const [vendor = '', short = ''] = name.split('/');
    try {
      const answer = await callRemotely(remote, explainPolicy, { vendor, package: short, version: to });
      judged.set(`${name} ${to}`, judgedBy(answer));
    } catch (error) {
      if (!(error instanceof RegistryError) || error.status >= 500) throw error;
      if (error.status === 403) asksPolicy = false;
      else if (error.status !== 404) throw error;
    }
  }
  const knownOf: KnownOf = (name, version) => ({
    advisories: advisories(name, version),
    ...(judged.get(`${name} ${version}`) ?? { malware: null, held: null }),
  });
  return { knownOf, asksPolicy };
}

function judgedBy({ malware, outcome, findings }: ExplainedVersion): Pick<KnownVersion, 'malware' | 'held'> {
  const reasons = findings.filter(({ action, exception }) => action === 'block' && exception === null);
  const because = reasons.map(({ because: reason }) => reason).join('; ');
  return { malware, held: outcome === 'offered' || because === '' ? null : because };
}

/** As `composer audit` asks: a read token is enough. */
async function remoteAdvisories(remote: Remote, names: readonly string[]) {
  const { requestRemote } = await import('../../remote/request-remote.ts');
  const found = new Map<string, ReturnType<typeof advisoriesIn>>();
  for (let at = 0; at < names.length; at += namesInOne) {
    const form = new URLSearchParams(
      names.slice(at, at + namesInOne).map((name): [string, string] => ['packages[]', name]),
    );
    const { body } = await requestRemote(remote, {
      method: 'POST',
      path: '/security-advisories',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Readable.from([Buffer.from(form.toString())]),
    });
    const lists = isJsonObject(body['advisories']) ? body['advisories'] : {};
    for (const [name, list] of Object.entries(lists)) found.set(name.toLowerCase(), advisoriesIn(list));
  }
  return (name: string, version: string): readonly KnownAdvisory[] =>
    (found.get(name) ?? [])
      .filter(({ constraint }) => affectsSome(constraint, [version]))
      .map(({ id, title }) => ({ id, title }));
}

const namesInOne = 200;
