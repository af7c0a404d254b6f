// The questions before a token gets a new secret, and before it is revoked.

import { createHash } from 'node:crypto';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { longestGraceSeconds, standardGraceSeconds } from '../../../auth/rotate-token.ts';
import type { TokenUse } from '../../../core/tokens/token-uses.ts';
import { isFixed, type TokenRecord } from '../../../core/tokens/token.ts';
import { revokeToken } from '../../../tokens/operations.ts';
import { Form, SelectField, type Choice } from '../../components/form.tsx';
import { spanText } from '../../../../build/shared/text/span-text.ts';
import { Time } from '../../components/values.tsx';
import type { PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { linkedFields, operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormFields, type FormState } from '../../request/form-fields.ts';
import { tokenSecretView } from './secret-page.tsx';
import { readStanding, tokenPath, tokensFor, type TokenPageServices } from './services.ts';

export function registerEndingTokens(pages: Pages, services: TokenPageServices): void {
  pages.form({
    path: '/tokens/:id/rotate',
    operation: 'rotateToken',
    show: (request, state) => askRotation(services, request, state),
    submit: (request, fields) => rotate(services, request, fields),
  });
  pages.form(
    operationForm(services, revokeToken, {
      section: 'tokens',
      of: readStanding,
      view: ({ record, use }) => ({
        title: `Revoke ${record.description}?`,
        sentence: 'The registry refuses it from now on, and every client that uses it fails. It cannot be undone.',
        notice: (
          <p>
            <LastUse use={use} />
          </p>
        ),
        submit: 'Revoke token',
        cancel: tokenPath(record),
      }),
      input: ({ param }) => ({ id: param('id') }),
      done: (_token, { param }) => ({ to: tokenPath({ id: param('id') }), notice: 'revoked' }),
    }),
  );
}

const hour = 3600;
const graces: readonly Choice[] = [
  { value: String(hour), label: 'for an hour' },
  { value: String(standardGraceSeconds), label: 'for a day' },
  { value: String(7 * standardGraceSeconds), label: 'for a week' },
  { value: String(longestGraceSeconds), label: 'for 30 days' },
  { value: '0', label: 'not at all: it ends at once' },
];

async function askRotation(
  services: TokenPageServices,
  request: SignedInRequest,
  state: FormState,
): Promise<PageOutcome> {
  const record = await tokensFor(services, request).get(request.param('id'));
  if (record.revoked_at !== null || isFixed(record)) return { to: tokenPath(record) };
  // a command may name another time
  const [[, linked = String(standardGraceSeconds)] = []] = linkedFields(request, ['grace_seconds']);
  const other = graceLabel(linked);
  const isOther = other !== undefined && graces.every(({ value }) => value !== linked);
  const sentence = 'The token gets a new secret, which the next page shows once. Everything else stays.';
  return headedPage(
    { section: 'tokens', title: `Rotate ${record.description}?`, sentence },
    <Form state={state} submit="Rotate token" cancel={tokenPath(record)} asksPassword={request.asksPassword}>
      <input type="hidden" name="secret" value={secretMark(record)} />
      <SelectField
        name="grace_seconds"
        label="The former secret works on"
        hint="Time for clients to switch. A secret from before an earlier rotation ends at once."
        value={linked}
        choices={isOther ? [{ value: linked, label: other }, ...graces] : graces}
      />
    </Form>,
  );
}

/** A form that was sent already, or that another rotation overtook, changes nothing. */
async function rotate(services: TokenPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const tokens = tokensFor(services, request);
  const before = await tokens.get(request.param('id'));
  const overtaken = { to: tokenPath(before), notice: 'overtaken' };
  if (fields.text('secret') !== secretMark(before)) return overtaken;
  const grace = fields.text('grace_seconds');
  const label = graceLabel(grace);
  if (label === undefined) throw fieldFault('grace_seconds', 'Choose one of these times.');
  try {
    const { record, secret } = await tokens.rotate(before.id, Number(grace), before.hash);
    const former =
      grace === '0'
        ? 'The token has a new secret. The former one is refused from now on.'
        : `The token has a new secret. The former one works on ${label}.`;
    return tokenSecretView({
      record,
      secret,
      origin: request.origin,
      defaults: await services.defaultLimits(),
      former,
    });
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'CONFLICT') return overtaken;
    throw error;
  }
}

/** undefined: no time that a former secret may work on. */
function graceLabel(seconds: string): string | undefined {
  if (!/^\d{1,7}$/.test(seconds) || Number(seconds) > longestGraceSeconds) return undefined;
  return graces.find(({ value }) => value === seconds)?.label ?? `for ${spanText(Number(seconds))}`;
}

function LastUse({ use }: { readonly use: TokenUse | undefined }) {
  if (use === undefined) return <>It was never used.</>;
  return (
    <>
      It was last used <Time at={new Date(use.atMs).toISOString()} />, from <code>{use.from}</code>.
    </>
  );
}

/** Names the current secret in a form, without its stored hash. */
function secretMark({ hash }: TokenRecord): string {
  return createHash('sha256').update(`rotation of ${hash}`).digest('base64url').slice(0, 22);
}
