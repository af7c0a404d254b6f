// Two fields for a new password. Nobody sees what they type, so it is typed twice.

import type { Child } from 'hono/jsx';
import { TextField } from '../../components/form.tsx';
import { fieldFault, type FormFields } from '../../request/form-fields.ts';

const repeated = 'repeated_password';

interface NewPasswordProps {
  /** of the first field */
  readonly name: string;
  readonly label: string;
  /** characters */
  readonly shortest: number;
}

export function NewPassword({ name, label, shortest }: NewPasswordProps): Child {
  const rest = { type: 'password', autocomplete: 'new-password', required: true };
  const hint = `At least ${shortest} characters. Several words are easy to remember and hard to guess.`;
  return (
    <>
      <TextField name={name} label={label} hint={hint} {...rest} />
      <TextField name={repeated} label="The same password again" {...rest} />
    </>
  );
}

/** The typed password. Throws INVALID_INPUT if the two fields differ. */
export function newPassword(fields: FormFields, name: string): string {
  const password = fields.secret(name);
  if (password === fields.secret(repeated)) return password;
  throw fieldFault(repeated, 'The two passwords differ. Type both again.');
}
