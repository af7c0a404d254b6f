// The code of a link for one use: of the setup, or of an invitation. A link has it in its address. Without it the page
// asks for it, because commands print codes too.

import type { Child } from 'hono/jsx';
import { TextField } from '../../components/form.tsx';
import type { PageRequest } from '../../frame/definitions.ts';
import type { FormFields } from '../../request/form-fields.ts';

const name = 'code';

/** Nothing if the address has the code. */
export function CodeField({
  query,
  label,
  hint,
}: {
  readonly query: URLSearchParams;
  readonly label: string;
  /** where the code is printed */
  readonly hint: string;
}): Child {
  if (query.has(name)) return null;
  return <TextField name={name} label={label} hint={hint} autocomplete="off" spellcheck={false} required />;
}

/** True if the address has a code that `knows` refuses: the page then says so before anything is typed. */
export async function hasUnknownCode(
  { query }: Pick<PageRequest, 'query'>,
  knows: (code: string) => Promise<boolean>,
): Promise<boolean> {
  const code = query.get(name);
  return code !== null && !(await knows(code));
}

export function linkCodeOf({ query }: PageRequest, fields: FormFields): string {
  return query.get(name) ?? fields.text(name);
}
