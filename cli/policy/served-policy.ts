// The policy of a server: the rules in effect, what they refuse, and what is counted and reported about it.

import { outsideLists } from '../../proxy/policy/apply/current-policy.ts';
import { createHits, type Hits } from '../../proxy/policy/apply/hits.ts';
import { createPolicyReader, type PolicyReader, type PolicySources } from '../../proxy/policy/apply/policy-reader.ts';
import { createRegistryPolicy, type RegistryPolicy } from '../../proxy/policy/apply/registry-policy.ts';
import type { Feeds } from '../../proxy/advisory-feeds/feeds.ts';
import type { Log } from '../../proxy/core/observe/log.ts';
import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import { createAuditedStore, type AuditedStore } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { PublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { formatOrigin, type Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { UsageError } from '../io/usage-error.ts';
import { policySources } from './compose-policy.ts';
import { PolicyFileError } from './policy-file.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import type { FilePolicyStores } from '../../proxy/policy/records/file-policy.ts';

export interface ServedPolicy {
  readonly reader: PolicyReader;
  /** where the reader reads */
  readonly sources: PolicySources;
  readonly releases: RegistryPolicy;
  /** Reads the lists of these feeds from now on. */
  readonly use: (feeds: Feeds) => void;
  /** undefined: the server has not opened them yet */
  readonly feeds: () => Feeds | undefined;
  readonly families: () => readonly Family[];
  /** Reads the policy file, if there is one. Throws UsageError for a file that cannot be used. */
  readonly assertUsable: () => Promise<void>;
  /** Resolves after the noted hits and changes of the file are stored. */
  readonly close: () => Promise<void>;
}

export interface PolicySurroundings {
  readonly settings: Settings;
  readonly store: StateStore;
  readonly advisories: PublishedAdvisories;
  readonly files: TreeFiles;
  readonly log: Log;
  /** true: this process reports changes of the policy file */
  readonly isLeader: boolean;
}

const cacheBytes = 16 * 1024 ** 2;

export function openServedPolicy(
  config: Config,
  context: Context,
  { settings, store, advisories, files, log, isLeader }: PolicySurroundings,
): ServedPolicy {
  const now = (): number => context.now().getTime();
  let feeds: Feeds | undefined;
  const audited = createAuditedStore({ store, now });
  const recorder = isLeader ? createFileRecorder(config.policy.value, { audited, state: store }, log) : noFileRecorder;
  const sources = policySources(config, {
    settings,
    store,
    now,
    own: advisories,
    outside: outsideLists(() => feeds),
    onRead: recorder.add,
    onFault: (err) => log.logger.error({ err }, 'the policy file cannot be used; the last good policy is in effect'),
  });
  const reader = createPolicyReader(sources);
  const hits = openHits(audited, log);
  return {
    reader,
    sources,
    releases: createRegistryPolicy({ reader, files, hits, cacheBytes }),
    use: (opened) => (feeds = opened),
    feeds: () => feeds,
    families: () => [hitsFamily(hits), ...feedFamilies(feeds)],
    assertUsable: () => assertUsable(config, sources),
    close: async () => void (await Promise.all([recorder.settled(), hits.settled()])),
  };
}

/** A server without a policy that was ever good would refuse every request. */
async function assertUsable({ policy }: Pick<Config, 'policy'>, { document }: PolicySources): Promise<void> {
  if (policy.value === undefined) return;
  try {
    await document();
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    throw new UsageError(
      `The policy file ${error.message} It is set by ${formatOrigin(policy.origin)}. ` +
        `Correct the file (\`libretto policy check ${policy.value}\` names its faults), or name another one with ` +
        '`policy` in libretto.json, --policy or LIBRETTO_POLICY.',
      { cause: error },
    );
  }
}

function openHits(store: AuditedStore, { logger }: Log): Hits {
  return createHits({
    store,
    onError: (err) => logger.error({ err }, 'a hit of the policy could not be stored; the next one is tried again'),
    onDropped: (count) =>
      logger.warn({ dropped_hits: count }, 'too many first hits of the policy at once: some are stored later'),
  });
}

function feedFamilies(feeds: Feeds | undefined): readonly Family[] {
  const statuses = feeds?.statuses() ?? [];
  return [
    {
      name: 'libretto_policy_feed_rows',
      type: 'gauge',
      help: 'Advisories and entries of filter lists that a feed gives to the policy.',
      samples: statuses.map(({ id, rows }) => ({ labels: { feed: id }, value: rows })),
    },
    {
      name: 'libretto_policy_feed_fetched_seconds',
      type: 'gauge',
      help: 'When a feed was last read completely, seconds since 1970.',
      samples: statuses.flatMap(({ id, fetchedAt }) =>
        fetchedAt === null ? [] : [{ labels: { feed: id }, value: Math.floor(Date.parse(fetchedAt) / 1000) }],
      ),
    },
    {
      name: 'libretto_policy_feed_shrunk',
      type: 'gauge',
      help: '1: the newest list of a feed is much smaller than the one in use, and waits for acceptance.',
      samples: statuses.map(({ id, shrunk }) => ({ labels: { feed: id }, value: shrunk === null ? 0 : 1 })),
    },
  ];
}

function hitsFamily(hits: Hits): Family {
  return {
    name: 'libretto_policy_hits_total',
    type: 'counter',
    help: 'Requests that a rule of the policy refused, warned of or noted.',
    samples: [...hits.counts()].map(([key, value]) => {
      const [rule = '', action = ''] = key.split(' ');
      return { labels: { rule, action }, value };
    }),
  };
}

// Reports each change of policy.json while a server runs, and since the last run: one event of the audit log, and one
// line of the log. Requests never wait for it.

interface FileRecorder {
  /** Records a valid file. undefined: there is nothing to record. */
  readonly add: ((policy: PolicyDocument) => void) | undefined;
  /** Resolves after all so far are stored, or have failed. */
  readonly settled: () => Promise<void>;
}

/** `file`: undefined without a file: the policy of the state then follows the one of an earlier file. */
function createFileRecorder(file: string | undefined, stores: FilePolicyStores, { logger }: Log): FileRecorder {
  const record = async (policy: PolicyDocument | undefined): Promise<void> => {
    try {
      const { forgetFilePolicy, recordFilePolicy } = await import('../../proxy/policy/records/file-policy.ts');
      if (file === undefined || policy === undefined) {
        const changes = await forgetFilePolicy(stores);
        if (changes !== undefined) logger.info({ changes: changes.length }, 'the policy of the state is in effect');
      } else {
        const changes = await recordFilePolicy(stores, file, policy);
        if (changes !== undefined)
          logger.info({ file, changes: changes.length }, 'the policy of the file is in effect');
      }
    } catch (err) {
      // the next change, or the next start, compares with the same last known policy
      logger.error({ err, file }, 'the change of the policy file could not be written to the audit log');
    }
  };
  let last = file === undefined ? record(undefined) : Promise.resolve();
  const add = (policy: PolicyDocument): void => {
    last = last.then(() => record(policy));
  };
  return { add: file === undefined ? undefined : add, settled: () => last };
}

/** A process that does not lead records nothing. */
const noFileRecorder: FileRecorder = { add: undefined, settled: () => Promise.resolve() };
