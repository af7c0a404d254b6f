// Tells of each change of policy.json while a server runs, and since the last run: one event of the audit log, and one
// line of the log. Requests never wait for it.

import type { Log } from '../../proxy/core/observe/log.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import type { FilePolicyStores } from '../../proxy/policy/records/file-policy.ts';

export interface FileRecorder {
  /** Hears of a good file. undefined: there is nothing to record. */
  readonly add: ((policy: PolicyDocument) => void) | undefined;
  /** Resolves after all so far are stored, or have failed. */
  readonly settled: () => Promise<void>;
}

/** `file`: undefined without a file: the policy of the state then follows the one of an earlier file. */
export function createFileRecorder(file: string | undefined, stores: FilePolicyStores, { logger }: Log): FileRecorder {
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
export const noFileRecorder: FileRecorder = { add: undefined, settled: () => Promise.resolve() };
