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
  readonly sentence: Child;
  readonly trail?: readonly { readonly label: string; readonly to: string }[];
  /** the words on the button */
  readonly submit: string;
  /** default: true for an operation that deletes */
  readonly isDanger?: boolean;
  /** the page to go to instead */
  readonly cancel: string;
  /** beside the title */
  readonly actions?: Child;
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
  /** default: the operation's `form` */
  readonly path?: string;
  /** the fields that a link may fill in; default: those of the operation's body */
  readonly linked?: readonly string[];
  /** as of a FormPage */
  readonly fieldOf?: Readonly<Record<string, string>>;
  /** An outcome stands for the form where nothing can be changed. */
  readonly view: (request: SignedInRequest) => MaybeAsync<FormView | PageOutcome>;
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
  return operation.run(services, input, { caller, actor: actorOf(caller), nowMs });
}

/** The page at a form of the operation. */
export function operationForm<Services, Input, Output>(
  services: Services,
  operation: Operation<Services, Input, Output>,
  definition: FormDefinition<Input, Output>,
): FormPage {
  const { id, form = '', body } = operation;
  const { section, lists = [], asksNothing = false, fieldOf = {}, view, input, done } = definition;
  const { path = form, linked = Object.keys(body?.shape ?? {}) } = definition;
  const asks = asksPassword({ operation: id, asksNothing });
  return {
    path,
    operation: id,
    asksNothing,
    fieldOf,
    show: async (request, state) => {
      const shown = await view(request);
      if (!('submit' in shown)) return shown;
      return pageOf(shown, filledIn(state, shown, linked, request), {
        section,
        lists,
        isDanger: shown.isDanger ?? operation.method === 'delete',
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
  const { title, sentence, trail = [], actions, submit, cancel, notice, fields } = view;
  return {
    title,
    section,
    content: (
      <>
        <PageHead {...{ title, sentence, trail, actions }} />
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
  request: SignedInRequest,
): FormState {
  const linked = linkedFields(request, names);
  if (state.isPosted || (linked.length === 0 && values === undefined)) return state;
  const fields = new URLSearchParams(values);
  for (const [name, value] of linked) fields.set(name, value);
  return { ...state, isPosted: true, fields: new FormFields(fields) };
}

/** The fields of these names in the link that led here; none in a link of another site. */
export function linkedFields(
  { query, isFromOtherSite }: SignedInRequest,
  names: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  return isFromOtherSite
    ? []
    : names.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ''] as const] : []));
}
