// The pages that make and edit a token, and the preview of both.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { isFixed, parseTokenId } from '../../../core/tokens/token.ts';
import type { PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
import { linkedFields } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, FormFields, postedForm, type FormState } from '../../request/form-fields.ts';
import { tokenChanges, fieldsOfToken, newFields, parseTokenDraft } from './draft-fields.ts';
import { editTokenView, newTokenView } from './draft-view.tsx';
import { asRows, ruleFields } from './limit-fields.ts';
import { tokenSecretView } from './secret-page.tsx';
import { tokenPath, tokensFor, type TokenPageServices } from './services.ts';

const fieldOf = { expires_at: 'expires_on' };

export function registerMakingTokens(pages: Pages, services: TokenPageServices): void {
  pages.form({
    path: '/tokens/new',
    operation: 'createToken',
    fieldOf,
    show: (request, state) => newTokenView(services, request, filled(state, request, beginning(services, request))),
    submit: (request, fields) => create(services, request, fields),
  });
  pages.form({
    path: '/tokens/new/preview',
    operation: 'createToken',
    asksNothing: true,
    show: () => ({ to: '/tokens/new' }),
    submit: (request, fields) => newTokenView(services, request, postedForm(fields)),
  });
  pages.form({
    path: '/tokens/:id/edit',
    operation: 'updateToken',
    fieldOf,
    show: async (request, state) => {
      const record = await tokensFor(services, request).get(request.param('id'));
      if (record.revoked_at !== null || isFixed(record)) return { to: tokenPath(record) };
      return editTokenView(services, request, filled(state, request, fieldsOfToken(record)), record);
    },
    submit: (request, fields) => update(services, request, fields),
  });
  pages.form({
    path: '/tokens/:id/edit/preview',
    operation: 'updateToken',
    asksNothing: true,
    show: (request) => ({ to: `/tokens/${request.param('id')}/edit` }),
    submit: async (request, fields) => {
      const record = await tokensFor(services, request).get(request.param('id'));
      return editTokenView(services, request, postedForm(fields), record);
    },
  });
}

function beginning(services: TokenPageServices, request: SignedInRequest): URLSearchParams {
  return newFields(tokensFor(services, request).newId(), request.query.get('for'));
}

/**
 * The answer is the page with the secret, because after a redirect it could not be shown. The form names the id of its
 * token, so that a reload of that page makes no second one.
 */
async function create(services: TokenPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const id = parseTokenId(fields.text('id'));
  if (id === undefined) throw new RegistryError('BAD_REQUEST', { message: 'This form is incomplete. Open it again.' });
  const { description, kind, limit, limits, expiresAt } = parseTokenDraft(fields, request.nowMs);
  const draft = { id, description, kind, limit, limits, expiresAt: expiresAt ?? null };
  try {
    const { record, secret } = await tokensFor(services, request).create(draft);
    return tokenSecretView({ record, secret, origin: request.origin, defaults: await services.defaultLimits() });
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'CONFLICT') return { to: `/tokens/${id}`, notice: 'made' };
    throw atLimitField(error);
  }
}

async function update(services: TokenPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const tokens = tokensFor(services, request);
  const record = await tokens.get(request.param('id'));
  const patch = tokenChanges(record, parseTokenDraft(fields, request.nowMs));
  if (patch === undefined) return { to: tokenPath(record), notice: 'same' };
  try {
    await tokens.update(record.id, patch);
  } catch (error) {
    throw atLimitField(error);
  }
  return { to: tokenPath(record), notice: 'saved' };
}

/** Only the hourly limit can be more than a person may give: the form is shown again, with the reason beside it. */
function atLimitField(error: unknown): unknown {
  return error instanceof RegistryError && error.code === 'INSUFFICIENT_SCOPE'
    ? fieldFault('rate_limit', error.message)
    : error;
}

/**
 * Before a post the form shows `standard`, and the fields that a command put into the link. A rule about versions is a
 * row of the form, and a line in the link.
 */
function filled(state: FormState, request: SignedInRequest, standard: URLSearchParams): FormState {
  if (state.isPosted) return state;
  const rows: readonly string[] = Object.values(ruleFields);
  const names = ['description', 'kind', 'rate_limit', 'expires', 'packages', 'stability', 'not_after', 'networks'];
  const fields = new URLSearchParams(standard);
  for (const [name, value] of linkedFields(request, [...names, ...rows])) {
    fields.delete(name);
    if (!rows.includes(name)) fields.set(name, value);
    else if (value !== '') for (const line of value.split('\n')) fields.append(name, line);
  }
  // without a list, the constraints of a link are about all packages
  if (fields.has(ruleFields.pattern) && (fields.get('packages') ?? '') === '') fields.set('packages', '*');
  return { ...state, isPosted: true, fields: new FormFields(asRows(fields)) };
}
