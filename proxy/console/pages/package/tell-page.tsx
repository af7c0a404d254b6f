// Writes to the owners of tokens and projects that use a package: first the people and the words, then the mail as it
// will be, then it is sent. Without a mail server the page gives the addresses to copy.

import { useContext, type Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { findOwners, noMail } from '../../../usage/tell-users.ts';
import { tellUsers } from '../../../usage/operations.ts';
import type { ToldDocument } from '../../../usage/usage-schema.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Form, TextArea, TextField } from '../../components/form.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import { formatCount } from '../../components/quantity.ts';
import type { FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor, filledIn, linkable } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { postedForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import { nameIn, packagePath } from './open-package.ts';
import type { PackagePageServices } from './package-services.ts';

const words = ['constraint', 'since', 'subject', 'text'] as const;

export function registerTelling(pages: Pages, services: PackagePageServices): void {
  const path = tellUsers.form ?? '';
  const form: Pick<FormPage, 'operation' | 'show'> = {
    operation: 'tellUsers',
    show: (request, state) => showTelling(services, request, state),
  };
  pages.form({
    ...form,
    path,
    submit: async (request, fields) => {
      await send(services, request, fields, false);
      return { to: packagePath(nameIn(request), 'usage'), notice: 'told' };
    },
  });
  pages.form({
    ...form,
    path: `${path}/preview`,
    asksNothing: true,
    submit: async (request, fields) => {
      const told = fields.checked('edit') ? undefined : await send(services, request, fields, true);
      return showTelling(services, request, postedForm(fields), told);
    },
  });
}

async function send(
  services: PackagePageServices,
  request: SignedInRequest,
  fields: FormFields,
  preview: boolean,
): Promise<ToldDocument> {
  const [vendor = '', project = ''] = nameIn(request).split('/');
  const [constraint, since, subject, text] = words.map((field) => fields.optional(field));
  const message = { constraint, since, subject: subject ?? '', text: text ?? '', preview };
  return callFor(services, request, tellUsers, { vendor, package: project, ...message });
}

/** `told`: the preview. A post whose words have no fault, and a link with all of them, lead to it. */
async function showTelling(
  services: PackagePageServices,
  request: SignedInRequest,
  posted: FormState,
  told?: ToldDocument,
): Promise<PageView> {
  const name = nameIn(request);
  const state = filledIn(linkable(tellUsers), request, posted);
  const asked = (field: string) => state.fields.optional(field) ?? request.query.get(field)?.slice(0, 500);
  const [constraint, since] = [asked('constraint') || undefined, asked('since') || undefined];
  const isWhole = state.refusal !== undefined || state.faults.has('current_password') || request.filledBy !== undefined;
  const shown = told ?? (isWhole ? await send(services, request, state.fields, true).catch(ifFaulty) : undefined);
  const owners = shown ?? (await findOwners(services, { name, constraint, since }, request));
  const title = `Tell the users of ${name}`;
  return {
    title,
    section: 'packages',
    content: (
      <>
        <PageHead
          title={title}
          sentence={`A mail to the owners of tokens and projects that use ${constraint ?? 'the package'}.`}
          trail={[
            { label: name, to: packagePath(name) },
            { label: 'Used by', to: packagePath(name, 'usage') },
          ]}
        />
        <Recipients owners={owners} />
        {services.mailPlace === undefined ? (
          <NoMail people={owners.people} />
        ) : (
          <TellingForm {...{ state, name, constraint, since }} mail={shown?.mail} asks={request.asksPassword} />
        )}
      </>
    ),
  };
}

/** The words are shown in their fields instead. */
function ifFaulty(error: unknown): undefined {
  if (!(error instanceof RegistryError) || error.code !== 'INVALID_INPUT') throw error;
}

interface TellingProps {
  readonly name: string;
  readonly constraint: string | undefined;
  readonly since: string | undefined;
  readonly state: FormState;
  /** of the preview */
  readonly mail: string | null | undefined;
  /** true: sending asks for the password */
  readonly asks: boolean;
}

function TellingForm({ name, constraint = '', since = '', state, mail, asks }: TellingProps): Child {
  const isPreview = typeof mail === 'string';
  return (
    <Form
      state={state}
      submit="Send the mail"
      cancel={packagePath(name, 'usage')}
      hasNoButton={!isPreview}
      asksPassword={isPreview && asks}
    >
      <input type="hidden" name="constraint" value={constraint} />
      <input type="hidden" name="since" value={since} />
      {isPreview ? <Preview {...{ mail, state, name }} /> : <Words path={packagePath(name, 'tell/preview')} />}
    </Form>
  );
}

function Words({ path }: { readonly path: string }): Child {
  return (
    <>
      <TextField name="subject" label="Subject" maxlength={120} required autocomplete="off" />
      <TextArea
        name="text"
        label="Text"
        hint="An empty line separates paragraphs."
        rows={8}
        maxlength={5000}
        required
      />
      <div class="row">
        <button class="button primary" formaction={hrefTo(useContext(PlaceContext), path)}>
          Preview
        </button>
      </div>
    </>
  );
}

interface PreviewProps {
  readonly mail: string;
  readonly state: FormState;
  readonly name: string;
}

function Preview({ mail, state: { fields }, name }: PreviewProps): Child {
  const subject = fields.text('subject');
  return (
    <>
      <h2>{subject}</h2>
      <CodeBlock text={mail} label="the mail" />
      <input type="hidden" name="subject" value={subject} />
      <input type="hidden" name="text" value={fields.text('text')} />
      <div class="row">
        <button
          class="button"
          name="edit"
          value="1"
          formnovalidate
          formaction={hrefTo(useContext(PlaceContext), packagePath(name, 'tell/preview'))}
        >
          Change it
        </button>
      </div>
    </>
  );
}

type OwnersProps = { readonly owners: Pick<ToldDocument, 'people' | 'hidden' | 'not_told'> };

const mostShown = 20;

function Recipients({ owners: { people, hidden, not_told: left } }: OwnersProps): Child {
  const more = (count: number) => (count > mostShown ? <li>and {count - mostShown} more</li> : null);
  return (
    <section class="stack-tight breaks">
      <h2>
        {people.length === 0 && hidden > 0 ? 'To people' : `To ${formatCount(people.length, 'person', 'people')}`}
      </h2>
      <ul>
        {people.slice(0, mostShown).map(({ email, uses }) => (
          <li>
            {email} <span class="soft">{uses.slice(0, mostShown).join(', ')}</span>
          </li>
        ))}
        {more(people.length)}
        {hidden === 0 ? null : <li>the owners of {formatCount(hidden, 'token')} that you may not see</li>}
      </ul>
      {left.length === 0 ? null : (
        <>
          <h3>Not told</h3>
          <ul>
            {left.slice(0, mostShown).map(({ description, reason }) => (
              <li>
                {description}: {reason}
              </li>
            ))}
            {more(left.length)}
          </ul>
        </>
      )}
    </section>
  );
}

function NoMail({ people }: Pick<ToldDocument, 'people'>): Child {
  return (
    <>
      <Notice kind="warn">
        <MarkedText text={noMail} />
      </Notice>
      {people.length === 0 ? null : (
        <CodeBlock text={people.map(({ email }) => email).join(', ')} label="the addresses" />
      )}
    </>
  );
}
