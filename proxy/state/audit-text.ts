// The head of the audit log and the result of its verification as people read them, on the command line and on pages.

import type { AuditHead, AuditVerdict } from './audit.ts';

/** `SEQ:HASH` */
export function formatHead({ seq, hash }: AuditHead): string {
  return `${seq}:${hash}`;
}

/** undefined: the text is not `SEQ:HASH`. */
export function parseHead(text: string): AuditHead | undefined {
  const [, seq, hash] = /^(\d{1,12}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash };
}

/** What is wrong with the log, and what to do. */
export function describeBreak({ seq, reason }: Extract<AuditVerdict, { sound: false }>): string {
  return (
    `The audit log is broken at event ${seq}: ${reason}. Earlier events are intact. ` +
    'Compare the log with a backup of the state to find the change.'
  );
}
