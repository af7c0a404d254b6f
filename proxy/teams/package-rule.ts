// The setting people.packages as the state has it.

import { settingPrefix } from '../settings/stored-settings.ts';
import type { StateStore } from '../core/state/state-store.ts';
import type { PackageRule } from './packages-of.ts';

export const packageRuleKey = `${settingPrefix}people.packages`;

export interface StoredRule {
  readonly rule: PackageRule;
  /** of the row; null: the setting has its default */
  readonly revision: number | null;
}

/** A value that only another version knows hides more than it shows. */
export async function readPackageRule(store: Pick<StateStore, 'get'>): Promise<StoredRule> {
  const entry = await store.get(packageRuleKey);
  const rule = entry === undefined || entry.value === 'all' ? 'all' : 'teams';
  return { rule, revision: entry?.revision ?? null };
}
