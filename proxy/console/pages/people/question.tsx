// The page that asks before something is done to an account.

import type { UserView } from '../../../auth/user.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView } from '../../frame/definitions.ts';
import type { FormState } from '../../request/form-fields.ts';
import { personPath } from './find-person.ts';

interface Question {
  readonly user: UserView;
  /** names the account */
  readonly title: string;
  /** what will happen */
  readonly sentence: string;
  /** the words on the button */
  readonly submit: string;
  /** true: the form asks for the visitor's password */
  readonly asksPassword?: boolean;
  readonly isDanger?: boolean;
}

export function personQuestionView(form: FormState, question: Question): PageView {
  const { user, title, sentence, submit, asksPassword = false, isDanger = false } = question;
  return {
    title,
    section: 'people',
    content: (
      <>
        <PageHead title={title} sentence={sentence} />
        <Form state={form} submit={submit} isDanger={isDanger} cancel={personPath(user)} asksPassword={asksPassword} />
      </>
    ),
  };
}
