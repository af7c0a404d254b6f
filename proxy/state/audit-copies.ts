// Copies the head of the audit log to a place outside the state. The copy reveals a person who can write the state and
// rewrites the whole chain.

import type { AuditHead } from './audit.ts';
import { readAuditHead } from './audit-log.ts';
import type { StateStore } from '../core/state/state-store.ts';

export interface AuditCopies {
  /** Copies once more, and ends. */
  readonly close: () => Promise<void>;
}

export interface AuditCopiesOptions {
  readonly store: Pick<StateStore, 'get'>;
  readonly copy: (head: AuditHead) => void;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

/** Now, then every so often, and at the end, whenever the head has moved. */
export function startAuditCopies({ store, copy, onError, everyMs = 600_000 }: AuditCopiesOptions): AuditCopies {
  let copied = 0;
  const look = async (): Promise<void> => {
    try {
      const head = await readAuditHead(store);
      if (head === undefined || head.seq === copied) return;
      copied = head.seq;
      copy(head);
    } catch (error) {
      onError(error);
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  const first = look();
  return {
    close: async () => {
      clearInterval(timer);
      await first;
      await look();
    },
  };
}
