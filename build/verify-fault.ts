// What `verify` can find wrong.

import { NewerFormat } from './contract/newer-format.ts';

export type FaultCode =
  | 'MISSING_FILE'
  | 'MALFORMED_DOCUMENT'
  | 'MALFORMED_INDEX'
  | 'NEWER_FORMAT'
  | 'WRONG_BYTES'
  | 'BAD_ARCHIVE'
  | 'WRONG_PACKAGE'
  | 'NOT_INDEXED'
  | 'FOREIGN_FILE';

export interface Fault {
  readonly code: FaultCode;
  /** below the data folder */
  readonly path: string;
  readonly name?: string;
  readonly version?: string;
  /** what is wrong and what repairs it */
  readonly message: string;
}

/** `repair`: what is done about one that is damaged. */
export function indexFault(error: unknown, place: Pick<Fault, 'path' | 'name'>, repair: string): Fault {
  const message = `${error instanceof Error ? error.message : String(error)}.`;
  return error instanceof NewerFormat ? { code: 'NEWER_FORMAT', ...place, message } : { code: 'MALFORMED_INDEX', ...place, message: `${message} ${repair}` };
}
