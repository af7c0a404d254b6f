// The questions before a token gets a new secret, and before it is revoked.

import { createHash } from 'node:crypto';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { longestGraceSeconds, standardGraceSeconds } from '../../../auth/rotate-token.ts';
import type { TokenUse } from '../../../core/tokens/token-uses.ts';
import { isFixed, type TokenRecord } from '../../../core/tokens/token.ts';
import { Form, SelectField, type Choice } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import type { PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
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
  pages.form({
    path: '/tokens/:id/revoke',
    operation: 'revokeToken',
    show: (request, state) => askRevocation(services, request, state),
    submit: async (request) => {
      const record = await tokensFor(services, request).revoke(request.param('id'));
      return { to: tokenPath(record), notice: 'revoked' };
    },
  });
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
  const title = `Rotate ${record.description}?`;
  return {
    title,
    section: 'tokens',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The token gets a new secret, which the next page shows once. Everything else stays."
        />
        <Form state={state} submit="Rotate token" cancel={tokenPath(record)} asksPassword={request.asksPassword}>
          <input type="hidden" name="secret" value={secretMark(record)} />
          <SelectField
            name="grace_seconds"
            label="The former secret works on"
            hint="Time for clients to switch. A secret from before an earlier rotation ends at once."
            value={String(standardGraceSeconds)}
            choices={graces}
          />
        </Form>
      </>
    ),
  };
}

/** A form that was sent already, or that another rotation overtook, changes nothing. */
async function rotate(services: TokenPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const tokens = tokensFor(services, request);
  const before = await tokens.get(request.param('id'));
  const overtaken = { to: tokenPath(before), notice: 'overtaken' };
  if (fields.text('secret') !== secretMark(before)) return overtaken;
  const grace = graces.find(({ value }) => value === fields.text('grace_seconds'));
  if (grace === undefined) throw fieldFault('grace_seconds', 'Choose one of these times.');
  try {
    const { record, secret } = await tokens.rotate(before.id, Number(grace.value), before.hash);
    const former =
      grace.value === '0'
        ? 'The token has a new secret. The former one is refused from now on.'
        : `The token has a new secret. The former one works on ${grace.label}.`;
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

async function askRevocation(
  services: TokenPageServices,
  request: SignedInRequest,
  state: FormState,
): Promise<PageOutcome> {
  const { record, use } = await readStanding(services, request);
  const title = `Revoke ${record.description}?`;
  return {
    title,
    section: 'tokens',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The registry refuses it from now on, and every client that uses it fails. It cannot be undone."
        />
        <p>
          <LastUse use={use} nowMs={request.nowMs} />
        </p>
        <Form
          state={state}
          submit="Revoke token"
          isDanger
          cancel={tokenPath(record)}
          asksPassword={request.asksPassword}
        />
      </>
    ),
  };
}

function LastUse({ use, nowMs }: { readonly use: TokenUse | undefined; readonly nowMs: number }) {
  if (use === undefined) return <>It was never used.</>;
  return (
    <>
      It was last used <Time at={new Date(use.atMs).toISOString()} nowMs={nowMs} />, from <code>{use.from}</code>.
    </>
  );
}

/** Names the current secret in a form, without its stored hash. */
function secretMark({ hash }: TokenRecord): string {
  return createHash('sha256').update(`rotation of ${hash}`).digest('base64url').slice(0, 22);
}
