// What a server prints at its start: the setup code of the first admin, and a warning if the setting localSignIn
// would let nobody in. A damaged state gives no warning here: the server reports it itself.

import type { Secret } from '../../build/shared/text/secret.ts';
import { StateError } from '../../proxy/core/state/state-error.ts';
import { localSignInRule, nobodySignsIn, repairLocalSignIn } from '../compose/local-sign-in.ts';
import type { ServingCore } from '../core/serving-core.ts';

export interface StartupNotices {
  /** The setup code for the first admin; undefined if a user exists. */
  readonly offerSetup: () => Promise<Secret | undefined>;
  /** the lines of the warning; none if somebody can sign in */
  readonly signInWarning: () => Promise<readonly string[]>;
}

export function startupNotices(
  core: Pick<ServingCore, 'config' | 'store' | 'isLeader' | 'reportState'>,
  setupCode: (() => Promise<Secret | undefined>) | undefined,
): StartupNotices {
  return { offerSetup: () => offerSetup(core, setupCode), signInWarning: () => signInWarning(core) };
}

async function signInWarning({
  config,
  store,
  isLeader,
}: Pick<ServingCore, 'config' | 'store' | 'isLeader'>): Promise<readonly string[]> {
  const rule = localSignInRule(config);
  if (rule === undefined || !isLeader) return [];
  const wrong = await nobodySignsIn(store, rule).catch((error: unknown) => {
    if (error instanceof StateError) return undefined;
    throw error;
  });
  return wrong === undefined ? [] : [`Warning: ${wrong}`, repairLocalSignIn];
}

// The setup code of the first admin. A damaged or unwritable state offers no code, and installs still work.

/** Undefined if a user exists, or while the state cannot be written. */
async function offerSetup(
  { reportState }: Pick<ServingCore, 'reportState'>,
  setupCode: (() => Promise<Secret | undefined>) | undefined,
): Promise<Secret | undefined> {
  return setupCode?.()
    .catch(ignoreUnwritable)
    .catch(reportDamage((fault) => reportState(`No setup code is offered. ${fault}`)));
}

/** Returns undefined for a damaged record, and passes the fault to `report`. Installs work without the record. */
function reportDamage(report: (fault: string) => void): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof StateError && error.code === 'STATE_CORRUPT')) throw error;
    report(error.message);
    return undefined;
  };
}

/** Gives undefined for a state that cannot be written: the disk is full or read-only. */
function ignoreUnwritable(error: unknown): undefined {
  if (error instanceof StateError && error.code === 'STATE_WRITE_FAILED') return undefined;
  throw error;
}
