// The setup code of the first admin. A damaged or unwritable state offers no code, and installs still work.

import type { Secret } from '../../build/shared/text/secret.ts';
import { StateError } from '../../proxy/core/state/state-error.ts';
import type { ServingCore } from '../core/serving-core.ts';

/** Undefined if a user exists, or while the state cannot be written. */
export async function offerSetup(
  { tellState }: Pick<ServingCore, 'tellState'>,
  setupCode: (() => Promise<Secret | undefined>) | undefined,
): Promise<Secret | undefined> {
  return setupCode?.()
    .catch(whereUnwritable)
    .catch(whereDamaged((fault) => tellState(`No setup code is offered. ${fault}`)));
}

/** Returns undefined for a damaged record, and passes the fault to `tell`. Installs work without the record. */
function whereDamaged(tell: (fault: string) => void): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof StateError && error.code === 'STATE_CORRUPT')) throw error;
    tell(error.message);
    return undefined;
  };
}

/** Gives undefined for a state that cannot be written: the disk is full or read-only. */
function whereUnwritable(error: unknown): undefined {
  if (error instanceof StateError && error.code === 'STATE_WRITE_FAILED') return undefined;
  throw error;
}
