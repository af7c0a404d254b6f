// Withdraws a published version by hand, and restores it. The builder decides and stores the list for later builds.
// The record and its audit event follow in one commit (I8), and only then is the change acknowledged. Repeating the
// command writes a record that a crash prevented.

import { createHash } from 'node:crypto';
import type { JsonValue } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';
import type { WithheldVersion } from '../../build/contract/withheld.ts';
import type { AuditedStore, ChangeParts } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { parseRow } from '../state/rows.ts';
import { withdrawalSchema, type Withdrawal } from './package-schema.ts';
import type { VersionWithdrawer } from './version-withdrawer.ts';

export interface Withdrawals {
  /** A repeated call changes nothing. Throws RegistryError: NOT_FOUND or BUILD_BUSY. */
  readonly withdraw: (name: string, version: string) => Promise<Withdrawal>;
  /** Call it after the version may be published again. */
  readonly forget: (name: string, normalized: string) => Promise<void>;
}

export interface WithdrawalsOptions extends Pick<ChangeParts, 'store' | 'actor'> {
  readonly withdrawer: VersionWithdrawer;
}

export function createWithdrawals(options: WithdrawalsOptions): Withdrawals {
  return {
    withdraw: (name, version) => withdraw(options, name, version),
    forget: (name, normalized) => forget(options, name, normalized),
  };
}

async function withdraw(
  { store, actor, withdrawer }: WithdrawalsOptions,
  name: string,
  wanted: string,
): Promise<Withdrawal> {
  const { since, ...version } = await withdrawer.withdraw(name, wanted);
  const key = withdrawalKey(version.name, version.version_normalized);
  const record: Withdrawal = { ...version, withdrawn_at: since, withdrawn_by: actor };
  for (;;) {
    const known = await store.get(key);
    const before = known === undefined ? undefined : parseWithdrawal(known.value);
    if (before?.withdrawn_at === since) return before; // an earlier withdrawal may have been reverted in between
    const done = await store.commit(
      { conditions: [{ key, revision: known?.revision ?? null }], puts: [{ key, value: { ...record } }], deletes: [] },
      {
        actor,
        action: 'package.withdraw',
        subject: version.name,
        details: { version: version.version, reference: version.reference },
      },
    );
    if (done) return record;
  }
}

async function forget({ store, actor }: WithdrawalsOptions, name: string, normalized: string): Promise<void> {
  const key = withdrawalKey(name, normalized);
  for (;;) {
    const known = await store.get(key);
    const version = known === undefined ? normalized : parseWithdrawal(known.value).version;
    const done = await store.commit(
      { conditions: [{ key, revision: known?.revision ?? null }], puts: [], deletes: known === undefined ? [] : [key] },
      { actor, action: 'package.restore', subject: name, details: { version } },
    );
    if (done) return;
  }
}

/** The versions that stay withdrawn, by the records. */
export async function recordedWithdrawals(store: Pick<AuditedStore, 'range'>): Promise<readonly WithheldVersion[]> {
  const records = await store.range(withdrawalPrefix);
  return records.flatMap(({ value }) => {
    const { name: of, version, version_normalized: normalized, withdrawn_at: since } = parseWithdrawal(value);
    const name = parsePackageName(of);
    return name === undefined ? [] : [{ name, version, version_normalized: normalized as NormalizedVersion, since }];
  });
}

/** The record of a version that was withdrawn by hand; undefined: there is none. `version`: in any form. */
export async function readWithdrawal(
  store: Pick<StateStore, 'get'>,
  name: string,
  version: string,
): Promise<Withdrawal | undefined> {
  const entry = await store.get(withdrawalKey(name, normalizeVersion(version) ?? version));
  return entry === undefined ? undefined : parseWithdrawal(entry.value);
}

const withdrawalPrefix = 'withdrawal/';

/** Versions are no ASCII. */
export function withdrawalKey(name: string, normalized: string): string {
  return `${withdrawalPrefix}${createHash('sha256').update(`${name}\0${normalized}`).digest('hex')}`;
}

/** A record as stored. Throws StateError when it is not one. */
export function parseWithdrawal(value: JsonValue): Withdrawal {
  return parseRow(withdrawalSchema, value, 'The record of a withdrawn version');
}
