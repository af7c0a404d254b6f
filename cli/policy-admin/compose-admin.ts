// The composition root of what people do with the policy: its sources, the packages that it is tried on, tokens and
// counts. Commands and the server use it.

import { join } from 'node:path';
import type { JsonObject } from '../../build/contract/json.ts';
import type { ArtifactRecord } from '../../proxy/artifacts/artifact.ts';
import { storedPath } from '../../proxy/artifacts/staged-artifacts.ts';
import { createTokenUses, type TokenUses } from '../../proxy/core/tokens/token-uses.ts';
import { createDownloads, type Downloads } from '../../proxy/packages/downloads.ts';
import { createPolicyAdmin, type PolicyAdmin, type PolicyFeeds } from '../../proxy/policy/admin/policy-admin.ts';
import { readTokenProfiles } from '../../proxy/policy/admin/token-profiles.ts';
import { publishedSource } from '../../proxy/policy/admin/published-source.ts';
import { recentUse } from '../../proxy/policy/admin/recent-use.ts';
import { createPolicyReader, type PolicyReader, type PolicySources } from '../../proxy/policy/apply/policy-reader.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { PrivateNames } from '../../proxy/core/tree/precedence.ts';
import type { PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { composeArtifacts } from '../compose/artifacts.ts';
import { composeKeys } from '../compose/keys.ts';
import { composePersonStatus } from '../compose/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { mirrorFolder, mirrorRules } from '../mirror/compose-mirror.ts';
import { otherRepositories } from '../mirror/composer-repositories.ts';
import { PolicyFileError, readPolicyFile } from '../policy/policy-file.ts';
import { mirroredSource, type ReadLists } from './mirrored-source.ts';

export interface PolicyAdminParts {
  readonly store: StateStore;
  readonly settings: Pick<Settings, 'current'>;
  readonly sources: PolicySources;
  /** default: one of its own */
  readonly reader?: PolicyReader;
  readonly published: PublishedFiles;
  readonly privateNames: () => PrivateNames | Promise<PrivateNames>;
  /** default: those that are stored */
  readonly uses?: Pick<TokenUses, 'of'>;
  readonly downloads?: Pick<Downloads, 'daysOf' | 'totals'>;
  readonly installs?: Pick<Downloads, 'daysOf' | 'totals'>;
  readonly feeds?: PolicyFeeds | undefined;
  /** what the mirror of this process has read of stored documents */
  readonly mirrored?: (() => Promise<ReadLists>) | undefined;
}

export function composePolicyAdmin(config: Config, context: Context, parts: PolicyAdminParts): PolicyAdmin {
  const { store, sources, published, feeds } = parts;
  const now = (): number => context.now().getTime();
  return createPolicyAdmin({
    store: createAuditedStore({ store, now }),
    file: config.policy.value ?? null,
    fileFault: () => faultOfFile(config.policy.value),
    sources,
    reader: parts.reader ?? createPolicyReader(sources),
    packages: [publishedSource(published), mirroredPackages(config, context, parts)],
    tokens: listTokens(config, now, parts),
    artifactsOf: composeArtifacts(config, context, createAuditedStore({ store, now })),
    stagedRecord: stagedRecordsOf(config),
    hasBuilder: config.origin.value === undefined,
    uses: recentUse(
      parts.downloads ?? storedCounts(store, now, 'downloads'),
      parts.installs ?? storedCounts(store, now, 'installs'),
      now,
    ),
    feeds,
    now,
  });
}

/** undefined on a host without the data folder */
function stagedRecordsOf({ data, origin }: Config): (staged: ArtifactRecord) => Promise<JsonObject | undefined> {
  let read: ReturnType<StagedRecords['stagedRecords']> | undefined;
  return async (staged) => {
    if (origin.value !== undefined) return undefined;
    // loaded when needed, because the start of a command counts
    read ??= (await import('../../build/artifacts/staged-record.ts')).stagedRecords();
    return read(join(data.value, storedPath(staged)));
  };
}
type StagedRecords = typeof import('../../build/artifacts/staged-record.ts');

/** null: there is no policy file, or it can be used. */
async function faultOfFile(path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  try {
    await readPolicyFile(path);
    return null;
  } catch (error) {
    if (error instanceof PolicyFileError) return error.message;
    throw error;
  }
}

function mirroredPackages(
  config: Config,
  context: Context,
  { store, settings, privateNames, mirrored: read }: PolicyAdminParts,
): ReturnType<typeof mirroredSource> {
  const others = otherRepositories({
    config,
    environment: context.environment,
    state: store,
    sealer: composeKeys(config, context).sealer,
  });
  return mirroredSource({
    folder: mirrorFolder(config),
    rules: async () => mirrorRules(await settings.current(), await others(), context.environment),
    privateNames: async () => privateNames(),
    read,
  });
}

function listTokens(config: Config, now: () => number, { store, uses }: PolicyAdminParts) {
  const stored = uses ?? createTokenUses({ store, onError: () => undefined });
  return () =>
    readTokenProfiles({
      store,
      uses: stored,
      personStatus: composePersonStatus(config, store),
      now,
    });
}

/** It counts nothing itself. */
function storedCounts(state: StateStore, now: () => number, counted: 'downloads' | 'installs'): Downloads {
  return createDownloads({ state, now, counted, everyMs: 0, onError: () => undefined });
}
