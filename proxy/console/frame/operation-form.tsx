// The page of an operation: a form with its fields, or a question without any. It is filled in from the record that it
// changes, and from the address: a command prints such a link, and the person confirms it here. It never fills in what
// is no field of the operation, and nothing from a link of another site.

import type { Child } from 'hono/jsx';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { actorOf } from '../../auth/caller.ts';
import type { Operation } from '../../registry/operation.ts';
import { Form } from '../components/form.tsx';
import { PageHead } from '../components/page-head.tsx';
import { FormFields, withLineFaults, type FormState } from '../request/form-fields.ts';
import { asksPassword, type FormPage, type PageOutcome, type PageView, type SignedInRequest } from './definitions.ts';
import type { Section } from './sections.ts';

/** What the page shows. */
interface FormView {
  readonly title: string;
  readonly sentence: string;
  readonly trail: readonly { readonly label: string; readonly to: string }[];
  /** the words on the button */
  readonly submit: string;
  /** the page to go to instead */
  readonly cancel: string;
  /** above the form */
  readonly notice?: Child;
  readonly fields?: Child;
  /** what the fields have before a change */
  readonly values?: Readonly<Record<string, string>> | undefined;
}

interface FormDefinition<Input, Output> {
  readonly section: Section;
  /** fields with one entry a line */
  readonly lists?: readonly string[];
  readonly asksNothing?: boolean;
  /** default: it removes something */
  readonly isDanger?: boolean;
  readonly view: (request: SignedInRequest) => MaybeAsync<FormView>;
  /** Throws INVALID_INPUT for a form that cannot be read. undefined: nothing is to change. */
  readonly input: (request: SignedInRequest, fields: FormFields) => MaybeAsync<Input | undefined>;
  /** the page afterwards */
  readonly done: (answer: Output | undefined, request: SignedInRequest) => PageOutcome;
}

/** Runs an operation for the visitor. */
export function callFor<Services, Input, Output>(
  services: Services,
  { caller, nowMs }: SignedInRequest,
  operation: Operation<Services, Input, Output>,
  input: Input,
): Promise<Output> {
  return operation.run(services, input, { actor: actorOf(caller), nowMs, caller });
}

/** The page at the operation's `form`. */
export function operationForm<Services, Input, Output>(
  services: Services,
  operation: Operation<Services, Input, Output>,
  {
    section,
    lists = [],
    asksNothing = false,
    isDanger = operation.method === 'delete',
    view,
    input,
    done,
  }: FormDefinition<Input, Output>,
): FormPage {
  const { id, form = '', body, awaitsBuilder = false } = operation;
  const names = Object.keys(body?.shape ?? {});
  const asks = asksPassword({ operation: id, asksNothing });
  return {
    path: form,
    operation: id,
    asksNothing,
    awaitsBuilder,
    show: async (request, state) => {
      const shown = await view(request);
      return pageOf(shown, filledIn(state, shown, names, request), {
        section,
        lists,
        isDanger,
        asksPassword: asks && request.asksPassword,
      });
    },
    submit: async (request, fields) => {
      const given = await input(request, fields);
      return done(given === undefined ? undefined : await callFor(services, request, operation, given), request);
    },
  };
}

interface Showing {
  readonly section: Section;
  readonly lists: readonly string[];
  readonly isDanger: boolean;
  readonly asksPassword: boolean;
}

function pageOf(view: FormView, state: FormState, { section, lists, ...form }: Showing): PageView {
  const { title, sentence, trail, submit, cancel, notice, fields } = view;
  return {
    title,
    section,
    content: (
      <>
        <PageHead {...{ title, sentence, trail }} />
        {notice}
        <Form {...form} {...{ submit, cancel }} state={withLineFaults(state, lists)}>
          {fields}
        </Form>
      </>
    ),
  };
}

/** A form that was posted shows what was typed. */
function filledIn(
  state: FormState,
  { values }: FormView,
  names: readonly string[],
  { query, isFromOtherSite }: SignedInRequest,
): FormState {
  const linked = isFromOtherSite ? [] : names.filter((name) => query.has(name));
  if (state.isPosted || (linked.length === 0 && values === undefined)) return state;
  const fields = new URLSearchParams(values);
  for (const name of linked) fields.set(name, query.get(name) ?? '');
  return { ...state, isPosted: true, fields: new FormFields(fields) };
}
