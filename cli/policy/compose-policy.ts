// The composition root of the policy: where its rules and its lists come from.

import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { OutsideLists } from '../../proxy/policy/apply/current-policy.ts';
import {
  createPolicyReader,
  storedDocument,
  type PolicyReader,
  type PolicySources,
} from '../../proxy/policy/apply/policy-reader.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import { storedDecisions } from '../../proxy/policy/records/review-decisions.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createPublishedAdvisories, type PublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import { createLocalPublishedFiles } from '../../proxy/core/tree/published-files.ts';
import type { Config } from '../config/config.ts';
import { watchPolicyFile } from './policy-file.ts';

export interface PolicyParts {
  readonly settings: Pick<Settings, 'current'>;
  readonly store: Pick<StateStore, 'range' | 'generation'>;
  readonly now: () => number;
  /** default: those of the data folder */
  readonly own?: PublishedAdvisories;
  readonly outside?: () => OutsideLists;
  /** is notified of a fault of policy.json, while the last good one is in effect */
  readonly onFault?: (error: unknown) => void;
  /** is notified of each good policy.json that was read */
  readonly onRead?: ((policy: PolicyDocument) => void) | undefined;
}

export function composePolicy(config: Config, parts: PolicyParts): PolicyReader {
  return createPolicyReader(policySources(config, parts));
}

export function policySources(config: Config, { settings, own, outside, ...parts }: PolicyParts): PolicySources {
  return {
    settings,
    document: documentOf(config, parts),
    own: own ?? createPublishedAdvisories(createLocalPublishedFiles(config.data.value)),
    outside,
    decisions: storedDecisions(parts.store),
  };
}

function documentOf(
  { policy }: Pick<Config, 'policy'>,
  { store, now, onFault = () => undefined, onRead }: Pick<PolicyParts, 'store' | 'now' | 'onFault' | 'onRead'>,
): () => MaybeAsync<PolicyDocument> {
  const path = policy.value;
  return path === undefined ? storedDocument(store) : watchPolicyFile({ path, now, onFault, onRead }).read;
}
