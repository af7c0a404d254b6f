// The way to the pages of the account, and a question of theirs with the button that does what it asks.

import { Form } from '../../components/form.tsx';
import type { PageView } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';

/** The way to a page of the account. */
export const accountTrail = [{ label: 'Your account', to: '/account' }];

type FormProps = Pick<Parameters<typeof Form>[0], 'state' | 'submit' | 'asksPassword'>;

export function question(title: string, sentence: string, form: FormProps): PageView {
  return headedPage({ title, sentence }, <Form {...form} isDanger cancel="/account" />);
}
