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
import { malwareOf, type VersionStanding } from '../../../proxy/policy/admin/package-standing.ts';
import { advisoriesIn } from '../../../proxy/policy/judge/facts.ts';
import { Readable } from 'node:stream';
import type { Remote } from '../../remote/remote.ts';

/** A changed package of the locks; null: one of the two has not got it. */
export interface VersionsToKnow {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Reads a data folder; asks for nothing elsewhere. */
export async function knownLocally(policy: PolicyAdmin, changed: readonly VersionsToKnow[]): Promise<KnownOf> {
  const keyOf = (version: string): string => normalizeVersion(version) ?? version;
  const known = new Map<string, ReadonlyMap<string, VersionStanding>>();
  for (const { name: text } of changed) {
    const name = parsePackageName(text);
    const { versions = [] } = (name && (await policy.standing(name))) ?? {};
    known.set(text, new Map(versions.map((one) => [keyOf(one.version), one])));
  }
  return (name, version) => {
    const found = known.get(name)?.get(keyOf(version));
    return (
      found && {
        advisories: found.concerns.filter(({ isMalware }) => !isMalware),
        malware: malwareOf(found),
        held: found.block?.because ?? null,
      }
    );
  };
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
    (found.get(name) ?? []).filter(({ constraint }) => affectsSome(constraint, [version]));
}

const namesInOne = 200;
