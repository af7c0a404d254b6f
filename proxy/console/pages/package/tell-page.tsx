// Writes to the owners of tokens and projects that use a package. The first post shows the mail, the second sends it.
// Without a mail server the addresses may be copied.

import { findOwners, noMail, nobody, toldLines } from '../../../usage/tell-users.ts';
import { tellUsers } from '../../../usage/operations.ts';
import type { ToldDocument } from '../../../usage/usage-schema.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Form, TextArea, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/place.tsx';
import { formatCount } from '../../components/values.tsx';
import type { FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor, filledIn, linkable } from '../../frame/operation-form.tsx';
import { passwordField, postedForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { nameIn, packagePath, type PackagePageServices } from './open-package.ts';

const mostLines = 500;

export function tellForm(services: PackagePageServices): FormPage {
  return {
    path: tellUsers.form ?? '',
    operation: 'tellUsers',
    notices: { told: 'The mail is on its way.' },
    previews: (fields) => !fields.checked('send'),
    show: async (request, state) => {
      // after a wrong password the mail stays on the page
      const told = state.faults.has(passwordField) ? await tell(services, request, state.fields, true) : undefined;
      return showForm(services, request, filledIn(linkable(tellUsers), request, state), told);
    },
    submit: async (request, fields) => {
      const told = await tell(services, request, fields, !fields.checked('send'));
      if (told.sent) return { to: packagePath(nameIn(request), 'tell', filterIn(fields)), notice: 'told' };
      return showForm(services, request, postedForm(fields), told);
    },
  };
}

function tell(
  services: PackagePageServices,
  request: SignedInRequest,
  fields: FormFields,
  preview: boolean,
): Promise<ToldDocument> {
  const [constraint, since, subject = '', text = ''] = ['constraint', 'since', 'subject', 'text'].map((field) =>
    fields.optional(field),
  );
  const named = { vendor: request.param('vendor'), package: request.param('package') };
  return callFor(services, request, tellUsers, { ...named, constraint, since, subject, text, preview });
}

/** The filter of the form, for the address of the page. */
function filterIn(fields: FormFields): Readonly<Record<string, string>> {
  const given = ['constraint', 'since'].map((field) => [field, fields.optional(field)] as const);
  return Object.fromEntries(given.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])));
}

/** `told`: the preview. */
async function showForm(
  services: PackagePageServices,
  request: SignedInRequest,
  state: FormState,
  told?: ToldDocument,
): Promise<PageView> {
  const name = nameIn(request);
  const [constraint, since] = ['constraint', 'since'].map(
    (field) => state.fields.optional(field) ?? (request.query.get(field)?.slice(0, 500) || undefined),
  );
  const found = told === undefined ? await findOwners(services, { name, constraint, since }, request) : undefined;
  const isNobody = (told?.people ?? found?.owners.length) === 0;
  const lines = toldLines(told ?? found ?? { data: [], hidden: 0 });
  const left = lines.length > mostLines ? `\n${lines.length - mostLines} more` : '';
  const [title, up] = [`Tell the users of ${name}`, packagePath(name, 'usage', { constraint: constraint ?? '' })];
  const readonly = told !== undefined;
  const submit = readonly ? `Send it to ${formatCount(told.people, 'person', 'people')}` : 'Preview';
  const form = (
    <Form {...{ state, submit }} cancel={up} asksPassword={readonly && request.asksPassword}>
      <input type="hidden" name="constraint" value={constraint ?? ''} />
      <input type="hidden" name="since" value={since ?? ''} />
      {readonly ? <input type="hidden" name="send" value="1" /> : null}
      <TextField name="subject" label="Subject" maxlength={120} required {...{ readonly }} />
      <TextArea name="text" label="Text" rows={8} maxlength={5000} required {...{ readonly }} />
      {readonly ? <CodeBlock text={told.mail ?? ''} label="the mail" /> : null}
    </Form>
  );
  const content = (
    <>
      <PageHead
        title={title}
        sentence={`A mail to the owners of what uses ${constraint ?? 'it'}:`}
        trail={[{ label: name, to: up }]}
      />
      <CodeBlock text={lines.slice(0, mostLines).join('\n') + left} label="the owners" />
      {isNobody || services.mailPlace === undefined ? <Notice kind="warn">{isNobody ? nobody : noMail}</Notice> : form}
    </>
  );
  return { title, section: 'packages', content };
}
