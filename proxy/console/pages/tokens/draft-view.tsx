// Reads what the form of a token shows beside its fields: the preview, the standard limits, and who may raise them.

import { effectiveLimit, type TokenRecord } from '../../../core/tokens/token.ts';
import type { TokenKind } from '../../../core/tokens/token-format.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { FormState } from '../../request/form-fields.ts';
import { DraftForm, type DraftFormProps } from './draft-form.tsx';
import { limitsOfFields, rulesOf } from './limit-fields.ts';
import { readVisibility } from './visible-packages.ts';
import type { VisibilityPreview } from './visibility-panel.tsx';
import { tokenPath, type TokenPageServices } from './services.ts';

export async function newTokenView(
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

export async function editTokenView(
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
export function suggestionsFor(typed: readonly string[], names: readonly string[]): readonly string[] {
  const all = [...new Set(names.map((name) => name.replace(/\/.*/, '/*'))), ...names];
  const isTyped = (name: string): boolean => typed.some((text) => name.includes(text) && name !== text);
  return (all.length > mostSuggestions ? all.filter(isTyped) : all).slice(0, mostSuggestions);
}

type DraftIssues = Extract<ReturnType<typeof limitsOfFields>, { readonly issues: unknown }>['issues'];
