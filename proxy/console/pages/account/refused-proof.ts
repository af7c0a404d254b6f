// A wrong password or code on the pages of one's own account. The services answer both alike, so the words name the
// fields that the form has.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { fieldFault } from '../../request/form-fields.ts';

/** For `catch`: puts the message to the field. Other errors stay as they are. */
export function refusedProof(field: string, message: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof RegistryError && error.code === 'INVALID_CREDENTIALS' ? fieldFault(field, message) : error;
  };
}
