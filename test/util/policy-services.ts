// The services of the policy in tests over HTTP, composed as in `serve`, with the rules in the state and without
// packages of other registries.

import { join } from 'node:path';
import { stagedRecords } from '../../build/artifacts/staged-record.ts';
import { policyFeeds } from '../../cli/policy-admin/feeds-of-policy.ts';
import type { Feeds } from '../../proxy/advisory-feeds/feeds.ts';
import { createPolicyAdmin } from '../../proxy/policy/admin/policy-admin.ts';
import { readTokenProfiles } from '../../proxy/policy/admin/token-profiles.ts';
import { publishedSource } from '../../proxy/policy/admin/published-source.ts';
import { recentUse } from '../../proxy/policy/admin/recent-use.ts';
import { outsideLists } from '../../proxy/policy/apply/current-policy.ts';
import { createHits } from '../../proxy/policy/apply/hits.ts';
import { createPolicyReader, storedDocument } from '../../proxy/policy/apply/policy-reader.ts';
import { createRegistryPolicy, type RegistryPolicy } from '../../proxy/policy/apply/registry-policy.ts';
import { storedDecisions } from '../../proxy/policy/records/review-decisions.ts';
import { storedPath } from '../../proxy/artifacts/staged-artifacts.ts';
import type { ArtifactServices } from '../../proxy/artifacts/operations.ts';
import type { TokenUses } from '../../proxy/core/tokens/token-uses.ts';
import type { PackageServices } from '../../proxy/packages/operations.ts';
import type { PolicyServices } from '../../proxy/manage/routes/policy.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { AuditedStore } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { personStatus } from '../../proxy/auth/person-status.ts';
import { personPackages } from '../../proxy/teams/person-packages.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { createPublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';

export interface PolicyParts {
  readonly state: StateStore;
  readonly store: AuditedStore;
  readonly settings: Settings;
  readonly packages: Pick<PackageServices, 'published' | 'downloads' | 'installs'>;
  readonly uses: TokenUses;
  readonly now: () => number;
  /** the policy of a file; undefined: the rules are in the state */
  readonly policyFile?: { readonly path: string; readonly policy: PolicyDocument } | undefined;
  readonly feeds?: (() => Feeds) | undefined;
  readonly artifactsOf: ArtifactServices['artifactsOf'];
  /** the data folder */
  readonly data: string;
  readonly files: TreeFiles;
  /** of background work */
  readonly onError: (error: unknown) => void;
}

/** `releases`: judges what clients request. */
export function policyServices(
  parts: PolicyParts,
): Pick<PolicyServices, 'policyAdmin' | 'blockedVersions'> & { readonly releases: RegistryPolicy } {
  const { state, store, settings, packages, uses, now, policyFile, feeds, artifactsOf, data } = parts;
  const readStaged = stagedRecords();
  const document = policyFile === undefined ? storedDocument(state) : () => policyFile.policy;
  const own = createPublishedAdvisories(packages.published);
  const decisions = storedDecisions(state);
  const sources = {
    settings,
    document,
    decisions,
    own,
    outside: feeds === undefined ? undefined : outsideLists(feeds),
  };
  const reader = createPolicyReader(sources);
  const status = personStatus(state, { personPackages: (person) => personPackages(state, person) });
  const hits = createHits({ store, onError: parts.onError, onDropped: () => undefined });
  const policyAdmin = createPolicyAdmin({
    store,
    file: policyFile?.path ?? null,
    sources,
    reader,
    packages: [publishedSource(packages.published)],
    tokens: () => readTokenProfiles({ store: state, uses, personStatus: status, now }),
    uses: recentUse(packages.downloads, packages.installs, now),
    artifactsOf,
    stagedRecord: (staged) => readStaged(join(data, storedPath(staged))),
    hasBuilder: true,
    feeds: policyFeeds(() => feeds?.(), store),
    now,
  });
  return {
    releases: createRegistryPolicy({ reader, files: parts.files, hits, cacheBytes: 1024 ** 2 }),
    blockedVersions: policyAdmin.blockedVersions,
    policyAdmin,
  };
}
