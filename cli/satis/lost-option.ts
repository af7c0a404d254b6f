// Decides if the loss of an option without a counterpart in Libretto makes a difference.

import type { JsonValue } from '../../build/contract/json.ts';
import type { LostOption } from './options.ts';
import type { Note } from './report.ts';

export function lostOption(option: string, value: JsonValue, known: LostOption | undefined, note: Note): void {
  if (known === undefined) note(option, 'not-carried', 'Libretto does not know this Satis option.');
  else if (known.same.includes(value) || isEmpty(value)) note(option, 'as-is', 'Libretto always does this.');
  else note(option, 'not-carried', known.reason);
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
