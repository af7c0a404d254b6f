// The words for kinds, states, spans and filters of repositories.

import type { Child } from 'hono/jsx';
import type { JsonValue } from '../../../../build/contract/json.ts';
import type { JobState, JobTrigger } from '../../../sync/job.ts';
import type { CredentialsKind, RepositoryType } from '../../../sync/repository.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { Badge } from '../../components/badge.tsx';
import type { IconName } from '../../components/icon.tsx';
import type { State } from '../../components/notice.tsx';
import { spanText } from '../../../../build/shared/text/span-text.ts';
import { Time, useNow } from '../../components/values.tsx';
import { nextSync, type RepositoryWithJobs } from './services.ts';

export const typeWords: Readonly<Record<RepositoryType, string>> = {
  git: 'Git repository',
  composer: 'Composer repository',
  directory: 'folder of packages',
  artifact: 'folder of ZIPs and tars',
};

export const credentialsWords: Readonly<Record<CredentialsKind, string>> = {
  basic: 'user name and password',
  bearer: 'bearer token',
  header: 'token in a header',
  ssh_key: 'SSH key',
};

interface BadgeWords {
  readonly kind: State;
  readonly icon: IconName;
  readonly words: string;
}

const statusWords: Readonly<Record<RepositoryDocument['status'], BadgeWords>> = {
  pending: { kind: 'info', icon: 'circle-minus', words: 'never synced' },
  syncing: { kind: 'info', icon: 'refresh-cw', words: 'syncing' },
  active: { kind: 'good', icon: 'circle-check', words: 'synced' },
  error: { kind: 'bad', icon: 'circle-x', words: 'failed' },
};

const jobWords: Readonly<Record<JobState, BadgeWords>> = {
  queued: { kind: 'info', icon: 'calendar-clock', words: 'waiting' },
  running: { kind: 'info', icon: 'refresh-cw', words: 'running' },
  succeeded: { kind: 'good', icon: 'circle-check', words: 'succeeded' },
  failed: { kind: 'bad', icon: 'circle-x', words: 'failed' },
};

export function StatusBadge({ status }: Pick<RepositoryDocument, 'status'>): Child {
  return <WordBadge {...statusWords[status]} />;
}

export function JobBadge({ state }: { readonly state: JobState }): Child {
  return <WordBadge {...jobWords[state]} />;
}

function WordBadge({ kind, icon, words }: BadgeWords): Child {
  return <Badge kind={kind} icon={icon} label={words} />;
}

interface NextSyncProps {
  readonly repository: RepositoryWithJobs;
  /** shown where none is planned */
  readonly otherwise?: string;
}

/** Overdue: later than the variation of a tenth and a minute explain. */
export function NextSync({ repository, otherwise = '' }: NextSyncProps): Child {
  const at = nextSync(repository);
  if (at === undefined) return otherwise;
  const late = useNow() - Date.parse(at);
  if (late < 0) return <Time at={at} />;
  return late < (repository.record.interval ?? 0) * 100 + 60_000 ? (
    'within minutes'
  ) : (
    <Badge kind="warn" label="overdue" />
  );
}

/** Who or what started a sync. `person`: the name of its author. */
export function startedBy(trigger: JobTrigger, person: () => string): string {
  if (trigger === 'request') return person();
  return trigger === 'hook' ? 'a webhook' : 'the interval';
}

/** `every 15 minutes`, `only on request`. `interval`: seconds. */
export function intervalWords(interval: number | null): string {
  if (interval === null) return 'only on request';
  return `every ${spanText(interval).replace(/^1 /, '')}`;
}

/** `acme/*, tools/cli`, `acme/core: ^1.0`. */
export function filterWords(value: JsonValue): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, versions]) => `${name}: ${String(versions)}`)
    .join(', ');
}

export const filterLabels = {
  only: 'Only packages',
  except: 'Except packages',
  versions: 'Versions',
  minimum_stability: 'Minimum stability',
  tags: 'Tags',
  branches: 'Branches',
  subdirectories: 'Subfolders',
  reference_source: 'Source references',
  packages: 'Fetched in advance',
} as const satisfies Partial<Record<keyof RepositoryDocument, string>>;
