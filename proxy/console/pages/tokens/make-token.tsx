// The pages that make and edit a token, and the preview of both.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { isFixed, parseTokenId, effectiveLimit, type TokenRecord } from '../../../core/tokens/token.ts';
import type { PageOutcome, SignedInRequest, PageView } from '../../frame/definitions.ts';
import { linkedFields } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, FormFields, postedForm, type FormState } from '../../request/form-fields.ts';
import { tokenChanges, fieldsOfToken, newFields, parseTokenDraft } from './draft-fields.ts';
import { asRows, ruleFields, limitsOfFields, rulesOf } from './limit-fields.ts';
import { tokenSecretView } from './secret-page.tsx';
import { tokenPath, tokensFor, type TokenPageServices } from './services.ts';
import type { TokenKind } from '../../../core/tokens/token-format.ts';
import { DraftForm, type DraftFormProps } from './draft-form.tsx';
import { readVisibility } from './visible-packages.ts';
import type { VisibilityPreview } from './visibility-panel.tsx';

/**
 * Reads what the form of a token shows beside its fields: the preview, the standard limits, and who may raise them.
 */
async function newTokenView(
  services: TokenPageServices,
  request: SignedInRequest,
  state: FormState,
): Promise<PageView> {
  const shared = await sharedProps(services, request, state);
  const title = 'Create token';
  const sentence = 'A client shows its token with every request. Its secret is shown once, on the next page.';
  return {
    title,
    section: 'tokens',
    content: (
      <DraftForm
        {...{ title, sentence, state, ...shared }}
        trail={[{ label: 'Tokens', to: '/tokens' }]}
        submit="Create token"
        cancel="/tokens"
        action="/tokens/new"
        asksPassword={request.asksPassword}
        edited={undefined}
      />
    ),
  };
}

async function editTokenView(
  services: TokenPageServices,
  request: SignedInRequest,
  state: FormState,
  record: TokenRecord,
): Promise<PageView> {
  const shared = await sharedProps(services, request, state);
  const title = `Edit ${record.description}`;
  return {
    title,
    section: 'tokens',
    content: (
      <DraftForm
        {...{ title, state, ...shared }}
        sentence="The secret stays the same. Clients notice the change with their next request."
        trail={[
          { label: 'Tokens', to: '/tokens' },
          { label: record.description, to: tokenPath(record) },
        ]}
        submit="Save changes"
        cancel={tokenPath(record)}
        action={`${tokenPath(record)}/edit`}
        asksPassword={request.asksPassword}
        edited={{ expiresAt: record.expires_at }}
      />
    ),
  };
}

type Shared = Pick<DraftFormProps, 'addsRule' | 'defaults' | 'mayRaise' | 'preview' | 'suggestions'>;

async function sharedProps(
  services: TokenPageServices,
  { caller, nowMs }: SignedInRequest,
  { fields }: FormState,
): Promise<Shared> {
  const defaults = await services.defaultLimits();
  const parsed = limitsOfFields(fields);
  const kind: TokenKind = fields.text('kind') === 'write' ? 'write' : 'read';
  const typed = fields.text('rate_limit');
  const limit = /^\d{1,9}$/.test(typed) ? Number(typed) : null;
  const previewOf = async (): Promise<VisibilityPreview | { readonly issues: DraftIssues }> =>
    'issues' in parsed
      ? parsed
      : {
          packages: await readVisibility(services.catalogue, parsed.limits, nowMs),
          limits: parsed.limits,
          rateLimit: effectiveLimit({ kind, limit }, defaults),
          mirrors: services.mirroredReleases !== undefined,
        };
  return {
    defaults,
    mayRaise: caller.role === 'admin',
    preview: await previewOf(),
    suggestions: suggestionsFor(
      rulesOf(fields).map(({ pattern }) => pattern),
      [...(await services.catalogue.read(nowMs, caller.view)).all.keys()],
    ),
    addsRule: fields.text('add') === 'rule',
  };
}

const mostSuggestions = 200;

/** Whole vendors and names. Of many names, those that continue what is typed. */
function suggestionsFor(typed: readonly string[], names: readonly string[]): readonly string[] {
  const all = [...new Set(names.map((name) => name.replace(/\/.*/, '/*'))), ...names];
  const isTyped = (name: string): boolean => typed.some((text) => name.includes(text) && name !== text);
  return (all.length > mostSuggestions ? all.filter(isTyped) : all).slice(0, mostSuggestions);
}

type DraftIssues = Extract<ReturnType<typeof limitsOfFields>, { readonly issues: unknown }>['issues'];

const fieldOf = { expires_at: 'expires_on' };

export function registerMakingTokens(pages: Pages, services: TokenPageServices): void {
  pages.form({
    path: '/tokens/new',
    operation: 'createToken',
    fieldOf,
    show: (request, state) => {
      const beginning = newFields(tokensFor(services, request).newId(), request.query.get('for'));
      return newTokenView(services, request, filled(state, request, beginning));
    },
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

/**
 * The answer is the page with the secret, because after a redirect it could not be shown. The form names the id of its
 * token, so that a reload of that page makes no second one.
 */
async function create(services: TokenPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const id = parseTokenId(fields.text('id'));
  if (id === undefined) throw new RegistryError('BAD_REQUEST', { message: 'This form is incomplete. Open it again.' });
  if (fields.text('for') === 'customer' && rulesOf(fields).length + fields.lines('packages').length === 0)
    throw fieldFault('constraints', 'Name the packages of the customer. A row with * is all packages.');
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
