// The page that changes the policy: its rules as cards or its JSON, and below what a check and a trial of it found. People who may not
// change it try another one on the same page.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { JsonValue } from '../../../../build/contract/json.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { PolicyView } from '../../../policy/admin/policy-views.ts';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { FormFields, postedForm, type FormState } from '../../request/form-fields.ts';
import { parsePolicyText } from '../../../policy/model/parse-policy.ts';
import { noPolicy } from '../../../policy/model/policy-document.ts';
import { usersOfRules } from '../../../usage/read-usage.ts';
import { cardsOf, cardValues, editedPolicy, tryText, type PolicyTrial } from './edit-rules.ts';
import { PolicyForm } from './policy-form.tsx';
import { mayChange, type PolicyPageServices } from './services.ts';

export function registerEditing(pages: Pages, services: PolicyPageServices): void {
  pages.form({
    path: '/policy/edit',
    operation: 'replacePolicy',
    show: (request, state) => showForm(services, request, state),
    submit: (request, fields) => save(services, request, fields),
  });
  pages.form({
    path: '/policy/check',
    operation: 'checkPolicy',
    previews: () => true,
    show: (request, state) => showForm(services, request, state),
    submit: (request, fields) => showForm(services, request, postedForm(fields)),
  });
}

async function save(services: PolicyPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const { policyAdmin } = services;
  const revision = fields.text('revision');
  const given = parsed(editedPolicy(fields));
  try {
    const { revision: saved } = await policyAdmin.replace(given, revision, actorOf(request.caller));
    return { to: '/policy', notice: saved === revision ? 'same' : 'saved' };
  } catch (error) {
    throw withAdvice(error);
  }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new RegistryError('INVALID_INPUT', { message: faultyText, cause });
  }
}

const faultyText = 'Nothing was saved: the policy has faults. They are listed under “Check”.';

const conflictText =
  'Nothing was saved: somebody else changed the policy meanwhile. “Check” shows the difference from their policy. ' +
  'If you save again, yours replaces it.';

/** The check beside the form lists the faults, and the difference from what others saved. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof RegistryError)) return error;
  if (error.code === 'INVALID_INPUT') return new RegistryError('INVALID_INPUT', { message: faultyText, cause: error });
  if (error.code !== 'CONFLICT' || error.details?.['revision'] === undefined) return error;
  return new RegistryError('CONFLICT', { message: conflictText, cause: error });
}

/**
 * The revision that the next save is based on. It stays the one of the page that was opened, until a refused save has
 * shown the difference from the policy of somebody else.
 */
function baseOf({ isPosted, fields, refusal }: FormState, { revision }: PolicyView): string {
  return isPosted && refusal !== conflictText ? (fields.optional('revision') ?? revision) : revision;
}

/** After a post the page shows what the policy in the form would change. */
async function showForm(services: PolicyPageServices, request: SignedInRequest, state: FormState): Promise<PageView> {
  const { policyAdmin } = services;
  const policy = await policyAdmin.get();
  const text = state.isPosted ? editedPolicy(state.fields) : textOf(policy);
  const read = parsePolicyText(text);
  const cards = asksCards(request, state) && 'policy' in read ? read.policy : undefined;
  const isEmpty = 'policy' in read && read.policy.rules.length === 0;
  const isTried = isEmpty
    ? state.isPosted && state.fields.optional('to') === undefined
    : state.isPosted || (cards !== undefined && (await isSmall(services, request)));
  const tried: PolicyTrial | undefined = isTried ? await tryText(policyAdmin, text) : undefined;
  const versions = cards !== undefined && request.may('getUsage') ? (tried?.test?.versions ?? []) : [];
  const users = await usersOfRules(services, versions, request.caller.view);
  const title = mayChange(request, policy) ? 'Edit the policy' : 'Try another policy';
  return {
    title,
    section: 'policy',
    content: (
      <PolicyForm
        {...{ title, policy, cards, tried, users, request }}
        state={{ ...state, isPosted: true, fields: new FormFields(fieldsOf(text, cards)) }}
        base={baseOf(state, policy)}
      />
    ),
  };
}

/** The tab: of a post the wanted one, or the one on which it was; a text alone is JSON. */
function asksCards({ query }: SignedInRequest, { isPosted, fields }: FormState): boolean {
  const tab = isPosted ? (fields.optional('to') ?? fields.text('view')) : (query.get('view') ?? 'cards');
  return tab === 'cards';
}

const mostTried = 1000;

/** True if the page can try the policy at once. */
async function isSmall({ catalogue }: PolicyPageServices, { nowMs }: SignedInRequest): Promise<boolean> {
  return (await catalogue.read(nowMs)).all.size <= mostTried;
}

function fieldsOf(policy: string, cards = noPolicy): URLSearchParams {
  const values = cardsOf(cards).flatMap(([id, one]) =>
    cardValues(one).map(([name, value]) => [`${name}.${id}`, value] as [string, string]),
  );
  return new URLSearchParams([['policy', policy], ...values]);
}

function textOf({ rules, exceptions }: PolicyView): string {
  return JSON.stringify(exceptions.length === 0 ? { rules } : { rules, exceptions }, undefined, 2);
}
