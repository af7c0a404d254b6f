// `libretto keys rotate`: makes new keys, and seals every sealed value again under the new one.

import { longestSessionMs } from '../../../proxy/auth/people-rules.ts';
import { keyPurposes, type KeyPurpose } from '../../../proxy/keys/key-file.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import type { CommandInput } from '../../io/command.ts';
import { composeKeys } from '../../compose/keys.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { describeKeys, keyDocuments } from '../../text/key-text.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { resealSecrets } from './reseal-secrets.ts';

export async function run(context: Context, { flags, operands: [purpose] }: CommandInput): Promise<number> {
  const { stdout, summary, remarks, actor } = context;
  const purposes = keyPurposes.filter((known) => purpose === undefined || known === purpose);
  const endSessions = flags['endSessions'] === true;
  if (purposes.length === 0)
    throw new UsageError(
      `There are no keys for ${JSON.stringify(purpose)}. Use signing or sealing, or no purpose for both.`,
    );
  if (endSessions && !purposes.includes('signing')) throw new UsageError('--end-sessions belongs to the signing key.');
  const config = await readDataFolder(context, flags, 'state', 'change');
  const now = (): number => context.now().getTime();
  const state = await openStateIfAny(config);
  if (state === undefined)
    throw new UsageError(
      `There is no state in ${config.data.value}, so no key is in use. Name the data folder with --data.`,
    );
  try {
    const store = createAuditedStore({ store: state, now });
    const { keys, sealer } = composeKeys(config, context);
    for (const kind of purposes) {
      const { kid } = keys.rotate(kind, endOf(kind, endSessions, now()));
      await store.commit(
        { conditions: [], puts: [], deletes: [] },
        { actor, action: 'keys.rotate', subject: kid, details: { purpose: kind, end_sessions: endSessions } },
      );
    }
    // seals again even without a new key: an earlier rotation may have been interrupted
    const resealed = await resealSecrets({ store, sealer, actor });
    const documents = keyDocuments(keys.list(), now());
    if (flags['json'] === true) printJson(stdout, { keys: documents, resealed });
    else {
      printLines(summary, describeKeys(documents));
      printLines(remarks, [`${counted(resealed, 'secret')} sealed again. A running server notices within seconds.`]);
    }
  } finally {
    await state.close();
  }
  return 0;
}

/** Sessions live no longer than `longestSessionMs`; a sealing key stays valid for its sealed values. */
function endOf(purpose: KeyPurpose, endSessions: boolean, nowMs: number): number | undefined {
  if (purpose === 'sealing') return undefined;
  return endSessions ? nowMs : nowMs + longestSessionMs;
}
