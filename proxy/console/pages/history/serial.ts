// The number of a publication in an address. Pure.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PageRequest } from '../../frame/definitions.ts';

/** The serial in the path. Throws NOT_FOUND. */
export function serialParam({ param }: Pick<PageRequest, 'param'>): number {
  const serial = countIn(param('serial'));
  if (serial === undefined)
    throw new RegistryError('NOT_FOUND', { message: 'There is no such publication: its address needs a number.' });
  return serial;
}

/** A number from 1; undefined: the text is none. */
export function countIn(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}
