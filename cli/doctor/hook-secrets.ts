// The check of the secrets of webhooks: whether the sealing keys of this data folder open them. Otherwise no request to
// that webhook can be proven.

import { hookPrefix, parseHookRecord, registryHookPrefix, sharedHook } from '../../proxy/hooks/hook-record.ts';
import { UnreadableSecret, type Sealer } from '../../proxy/keys/sealer.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { warning, type Finding } from './finding.ts';

/** One finding for each webhook of which the current secret does not open, at most ten. */
export async function lostHookSecrets(state: StateStore, sealer: Sealer): Promise<readonly Finding[]> {
  const rows = await state.range(hookPrefix);
  return rows
    .flatMap(({ key, value }) => {
      const [current] = parseHookRecord(value).secrets;
      const reason = current === undefined ? undefined : whyUnreadable(sealer, current.sealed, key);
      return reason === undefined ? [] : [findingOf(key, reason)];
    })
    .slice(0, 10);
}

function whyUnreadable(sealer: Sealer, sealed: string, key: string): string | undefined {
  try {
    sealer.unseal(sealed, key);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableSecret) return error.message;
    throw error;
  }
}

/** `key`: of the row. */
function findingOf(key: string, reason: string): Finding {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const isConnections = key.startsWith(registryHookPrefix) && name !== sharedHook.name;
  const operand = key.startsWith(registryHookPrefix) ? '--all' : name;
  const whose = isConnections ? `the connection ${name}` : operand === '--all' ? 'all repositories' : name;
  const remedy = isConnections
    ? `run \`libretto connection update ${name} --hooks\`, which installs the webhook with a new secret.`
    : `make a new secret with \`libretto repository hook ${operand} --rotate --drop-old\`, and enter it at the provider.`;
  return warning('hook', `the webhook of ${whose} accepts nothing: ${reason}`, `Restore the key, or ${remedy}`);
}
