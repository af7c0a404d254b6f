// The way to the pages of the account, a question of theirs with the button that does what it asks, and the proof that
// some of them ask for.

import type { Child } from 'hono/jsx';
import { Form, TextField } from '../../components/form.tsx';
import type { PageView } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';

/** The way to a page of the account. */
export const accountTrail = [{ label: 'Your account', to: '/account' }];

type FormProps = Pick<Parameters<typeof Form>[0], 'state' | 'submit' | 'asksPassword'>;

export function question(title: string, sentence: string, form: FormProps): PageView {
  return headedPage({ title, sentence }, <Form {...form} isDanger cancel="/account" />);
}

/** The password and a code, which prove the person before a change of their factors. */
export function ProofFields({ autofocus = true }: { readonly autofocus?: boolean }): Child {
  return (
    <>
      <TextField
        name="password"
        label="Your password"
        type="password"
        autocomplete="current-password"
        autofocus={autofocus}
        required
      />
      <TextField
        name="code"
        label="Code"
        hint="Six digits from your authenticator, or one of your recovery codes."
        autocomplete="one-time-code"
        autocapitalize="off"
        spellcheck={false}
        required
      />
    </>
  );
}
