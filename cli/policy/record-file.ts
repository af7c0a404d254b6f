// Tells of each change of policy.json while a server runs, and since the last run: one event of the audit log, and one
// line of the log. Requests never wait for it.

import type { Log } from '../../proxy/observe/log.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import type { AuditedStore } from '../../proxy/state/audit.ts';

export interface FileRecorder {
  /** Hears of a good file. undefined: there is nothing to record. */
  readonly add: ((policy: PolicyDocument) => void) | undefined;
  /** Resolves after all so far are stored, or have failed. */
  readonly settled: () => Promise<void>;
}

/** `file`: undefined without a file, and in a process that does not lead. */
export function createFileRecorder(file: string | undefined, store: AuditedStore, { logger }: Log): FileRecorder {
  if (file === undefined) return { add: undefined, settled: () => Promise.resolve() };
  let last = Promise.resolve();
  const record = async (policy: PolicyDocument): Promise<void> => {
    try {
      const { recordFilePolicy } = await import('../../proxy/policy/records/file-policy.ts');
      const changes = await recordFilePolicy(store, file, policy);
      if (changes !== undefined) logger.info({ file, changes: changes.length }, 'the policy of the file is in effect');
    } catch (err) {
      // the next change, or the next start, compares with the same last known policy
      logger.error({ err, file }, 'the change of the policy file could not be written to the audit log');
    }
  };
  return {
    add: (policy) => {
      last = last.then(() => record(policy));
    },
    settled: () => last,
  };
}
