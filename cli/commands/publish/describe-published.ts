// What `libretto publish` says of an upload: it is published, or it waits for approval.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { ArtifactRecord } from '../../../proxy/artifacts/artifact.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { UploadHold } from '../../../proxy/policy/admin/explain-policy.ts';
import type { Rule } from '../../../proxy/policy/model/policy-document.ts';
import { howToDecide } from '../../../proxy/policy/model/words.ts';
import { readStoredPolicy } from '../../../proxy/policy/records/stored-policy.ts';
import type { Remote } from '../../remote/remote.ts';
import type { PublishJob } from './publish-job.ts';

/** Without a rule that holds releases, nothing is read. */
export async function holdOn(
  { name, version }: ArtifactRecord,
  { config, context }: PublishJob,
  state: StateStore,
): Promise<UploadHold> {
  const isRule = ({ rule }: Rule): boolean => rule === 'capability';
  if (config.policy.value === undefined && !(await readStoredPolicy(state)).policy.rules.some(isRule))
    return { notices: [] };
  const { openLocalPolicyAdmin } = await import('../../policy-admin/local-policy-admin.ts');
  const { policy, close } = await openLocalPolicyAdmin(config, context, state);
  return policy.holdOn(name as PackageName, version).finally(close);
}

export function describePublished(
  { id, name, version, size, status, held }: JsonObject,
  created: boolean,
  remote: Remote | undefined,
): string {
  const where = remote === undefined ? '' : ` on ${remote.url}`;
  const what = `${String(name)} ${String(version)}`;
  const decide = howToDecide({ name: String(name), version: String(version) }, remote?.url);
  if (status === 'staged')
    return `Staged ${what}${where} (${String(id)}). It waits for approval: until then no client sees it. ${decide}`;
  if (typeof held === 'string')
    return `Stored ${what}${where} (${String(id)}). Clients do not get it: ${held}. ${decide}`;
  return created
    ? `Published ${what}${where} (${String(size)} bytes, ${String(id)}).`
    : `${what} is already published${where} with the same bytes (${String(id)}).`;
}
