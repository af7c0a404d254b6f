// A question of the account's pages, with the button that does what it asks.

import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/place.tsx';
import type { PageView } from '../../frame/definitions.ts';

type FormProps = Pick<Parameters<typeof Form>[0], 'state' | 'submit' | 'asksPassword'>;

export function question(title: string, sentence: string, form: FormProps): PageView {
  return {
    title,
    content: (
      <>
        <PageHead title={title} sentence={sentence} />
        <Form {...form} isDanger cancel="/account" />
      </>
    ),
  };
}
