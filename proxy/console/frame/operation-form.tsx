// The page of an operation: a form with its fields, or a question without any. It is filled in from the record that it
// changes, and from a link: a command prints it, signed by the person's terminal, and the person confirms it here. No
// other link fills in anything.

import type { Child } from 'hono/jsx';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import { actorOf } from '../../auth/caller.ts';
import type { Operation } from '../../registry/operation.ts';
import { Form } from '../components/form.tsx';
import { FormFields, withLineFaults, type FormState } from '../request/form-fields.ts';
import { asksPassword, type FormPage, type PageOutcome, type PageView, type SignedInRequest } from './definitions.ts';
import { headedPage } from './headed-page.tsx';
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
  /** the page to go to instead; default: the nearest of the trail */
  readonly cancel?: string;
  /** beside the title */
  readonly actions?: Child;
  /** above the form */
  readonly notice?: Child;
  readonly fields?: Child;
  /** what the fields have before a change */
  readonly values?: Readonly<Record<string, string>> | undefined;
}

interface FormDefinition<Services, Input, Output, Subject> {
  readonly section: Section;
  /** fields with one entry a line */
  readonly lists?: readonly string[];
  readonly asksNothing?: boolean;
  /** default: the operation's `form` */
  readonly path?: string;
  /** the fields that a link may fill in; default: those of the operation's body */
  readonly linked?: readonly string[];
  /** what a field of the form has for the value in a link, where that differs */
  readonly linkedValue?: (name: string, text: string) => string;
  /** as of a FormPage */
  readonly fieldOf?: Readonly<Record<string, string>>;
  /** What the form is about; default: the request. Throws NOT_FOUND. */
  readonly of?: (services: Services, request: SignedInRequest) => MaybeAsync<Subject>;
  /** An outcome stands for the form where nothing can be changed. */
  readonly view: (subject: Subject, request: SignedInRequest) => MaybeAsync<FormView | PageOutcome>;
  /**
   * Default: the values of the path, for an operation without other fields. Throws INVALID_INPUT for a form that cannot
   * be read. undefined: nothing is to change.
   */
  readonly input?: (request: SignedInRequest, fields: FormFields) => MaybeAsync<Input | undefined>;
  /** the page afterwards */
  readonly done: (answer: Output | undefined, request: SignedInRequest) => MaybeAsync<PageOutcome>;
}

/** Runs an operation for the visitor. */
export function callFor<Services, Input, Output>(
  services: Services,
  { caller, nowMs, clientAddress }: SignedInRequest,
  operation: Operation<Services, Input, Output>,
  input: Input,
): Promise<Output> {
  return operation.run(services, input, { caller, actor: actorOf(caller), nowMs, clientAddress });
}

/** The page at a form of the operation. */
export function operationForm<Services, Input, Output, Subject = SignedInRequest>(
  services: Services,
  operation: Operation<Services, Input, Output>,
  definition: FormDefinition<Services, Input, Output, Subject>,
): FormPage {
  const { id, form = '', awaitsBuilder = false } = operation;
  const { section, lists = [], asksNothing = false, fieldOf = {}, view, done } = definition;
  const { path = form, linked = linkable(operation), linkedValue } = definition;
  const of = definition.of ?? ((_services, request) => request as Subject);
  const input = definition.input ?? ((request) => pathValues(operation, request) as Input);
  const asks = asksPassword({ operation: id, asksNothing });
  return {
    path,
    operation: id,
    asksNothing,
    fieldOf,
    awaitsBuilder,
    show: async (request, state) => {
      const shown = await view(await of(services, request), request);
      if (!('submit' in shown)) return shown;
      return pageOf(shown, filledIn(linked, request, state, shown.values, linkedValue), {
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

function pathValues({ params }: Pick<Operation<never>, 'params'>, { param }: SignedInRequest): JsonObject {
  return Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, param(name)]));
}

interface Showing {
  readonly section: Section;
  readonly lists: readonly string[];
  readonly isDanger: boolean;
  readonly asksPassword: boolean;
}

function pageOf(view: FormView, state: FormState, { section, lists, ...form }: Showing): PageView {
  const { title, sentence, trail = [], actions, submit, cancel = trail.at(-1)?.to, notice, fields } = view;
  return headedPage(
    { section, title, sentence, trail, actions },
    <>
      {notice}
      <Form {...form} {...{ submit, cancel }} state={withLineFaults(state, lists)}>
        {fields}
      </Form>
    </>,
  );
}

/** The fields that a link may fill in: those of the body that are no secrets. */
export function linkable({ body, secrets = [] }: Pick<Operation<never>, 'body' | 'secrets'>): readonly string[] {
  return Object.keys(body?.shape ?? {}).filter((name) => !secrets.includes(name));
}

/** A form that was posted shows what was typed. `values`: what the fields have before a change. */
export function filledIn(
  names: readonly string[],
  request: SignedInRequest,
  state: FormState,
  values?: FormView['values'],
  linkedValue = (_name: string, text: string): string => text,
): FormState {
  const linked = linkedFields(request, names);
  if (state.isPosted || (linked.length === 0 && values === undefined)) return state;
  const fields = new URLSearchParams(values);
  // an empty box is no field of a form
  for (const [name, text] of linked) {
    if (text === '') fields.delete(name);
    else fields.set(name, linkedValue(name, text));
  }
  return { ...state, isPosted: true, fields: new FormFields(fields) };
}

/** The fields of these names in the link that led here; none if no terminal of the visitor signed it. */
export function linkedFields(
  { query, filledBy }: SignedInRequest,
  names: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  if (filledBy === undefined) return [];
  return names.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ''] as const] : []));
}
