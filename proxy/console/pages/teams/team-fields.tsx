// The fields of a team in its forms.

import type { Child } from 'hono/jsx';
import { longestName } from '../../../teams/team-fields.ts';
import { TextArea, TextField } from '../../components/form.tsx';

export function TeamNameField(): Child {
  return (
    <TextField
      name="name"
      label="Name"
      hint="No other team has it, such as Shop."
      maxlength={longestName}
      autocomplete="off"
      required
    />
  );
}

export function PackagesField(): Child {
  return (
    <TextArea
      name="packages"
      label="Packages"
      hint="One name or pattern a line, such as acme/core or acme/*. A line with * alone means all packages."
      rows={4}
      required
    />
  );
}

export function MembersField({ required = false }: { readonly required?: boolean }): Child {
  return (
    <TextArea
      name="members"
      label="Members"
      hint="One email address of an account a line, such as ada@example.org."
      rows={4}
      required={required}
    />
  );
}
