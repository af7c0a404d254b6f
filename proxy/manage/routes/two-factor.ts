// Two-factor authentication over HTTP: set up, enable with a code, disable with password and code.

import { body, answering } from '../frame/json-content.ts';
import { renderSVG } from 'uqr';
import type { People } from '../../auth/people.ts';
import type { Secret } from '../../../build/shared/text/secret.ts';
import { operation, type Api } from '../frame/api.ts';
import { loggedIn, code, password } from '../schemas/user.ts';
import { accountOf, showLogin } from './authentication.ts';
import { z } from 'zod';

// Two-factor authentication as the management API shows and takes it.

const twoFactorSetup = z.strictObject({ password }).meta({ id: 'TwoFactorSetup' });
const twoFactorSecret = z
  .object({
    secret: z.string().meta({
      description: 'the secret to type into an authenticator, in base32',
      example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    }),
    uri: z.string().meta({
      description: 'the secret as a link for authenticators',
      example: 'otpauth://totp/Libretto:ada%40example.org?issuer=Libretto&secret=…',
    }),
    qr_svg: z.string().meta({ description: 'the link as a QR code, an SVG document' }),
  })
  .meta({ id: 'TwoFactorSecret' });

const twoFactorCode = z.strictObject({ code }).meta({ id: 'TwoFactorCode' });
const twoFactorProof = z.strictObject({ password, code }).meta({ id: 'TwoFactorProof' });

const recoveryCodes = z
  .object({
    recovery_codes: z.array(z.string()).meta({
      description: 'ten codes, each for one login without the authenticator; they appear only in this answer',
    }),
  })
  .meta({ id: 'RecoveryCodes' });
const twoFactorEnabled = loggedIn.extend(recoveryCodes.shape).meta({ id: 'TwoFactorEnabled' });

const tags = ['Authentication'];

const setUpTwoFactor = operation({
  operationId: 'setUpTwoFactor',
  method: 'post',
  path: '/api/auth/2fa/setup',
  tags,
  summary: 'Set up two-factor authentication',
  description:
    'Returns a secret for an authenticator. It has no effect until it is enabled with a code. A repeated ' +
    'request returns another secret.',
  request: { body: body(twoFactorSetup) },
  responses: { 200: answering(twoFactorSecret, 'the secret; it appears only in this answer') },
  errors: ['INVALID_CREDENTIALS', 'TWO_FACTOR_STATE', 'TOO_MANY_ATTEMPTS', 'NOT_FOUND'],
});

const enableTwoFactor = operation({
  operationId: 'enableTwoFactor',
  method: 'post',
  path: '/api/auth/2fa/enable',
  tags,
  summary: 'Enable two-factor authentication',
  description:
    'Requires a code from the new authenticator. Ends all sessions, including this one, and starts a new session.',
  request: { body: body(twoFactorCode) },
  responses: { 200: answering(twoFactorEnabled, 'a new session, and the recovery codes') },
  errors: ['INVALID_CREDENTIALS', 'TWO_FACTOR_STATE', 'TOO_MANY_ATTEMPTS', 'NOT_FOUND'],
});

const disableTwoFactor = operation({
  operationId: 'disableTwoFactor',
  method: 'post',
  path: '/api/auth/2fa/disable',
  tags,
  summary: 'Disable two-factor authentication',
  description: 'Ends all sessions, including this one, and starts a new session.',
  request: { body: body(twoFactorProof) },
  responses: { 200: answering(loggedIn, 'a new session') },
  errors: ['INVALID_CREDENTIALS', 'TWO_FACTOR_STATE', 'TOO_MANY_ATTEMPTS', 'NOT_FOUND', 'LAST_ADMIN'],
});

const renewRecoveryCodes = operation({
  operationId: 'renewRecoveryCodes',
  method: 'post',
  path: '/api/auth/2fa/recovery-codes',
  tags,
  summary: 'Renew your recovery codes',
  description: 'Returns ten new codes; the previous codes become invalid.',
  request: { body: body(twoFactorProof) },
  responses: { 200: answering(recoveryCodes, 'the recovery codes') },
  errors: ['INVALID_CREDENTIALS', 'TWO_FACTOR_STATE', 'TOO_MANY_ATTEMPTS', 'NOT_FOUND'],
});

export function registerTwoFactor(api: Api, { people }: { readonly people: People }): void {
  api.openapi(setUpTwoFactor, async (context) => {
    const { secret, uri } = await accountOf(people, context).setUpTwoFactor(context.req.valid('json').password);
    return context.json({ secret: secret.reveal(), uri: uri.reveal(), qr_svg: renderSVG(uri.reveal()) }, 200);
  });
  api.openapi(enableTwoFactor, async (context) => {
    const { recoveryCodes: codes, ...login } = await accountOf(people, context).enableTwoFactor(
      context.req.valid('json').code,
    );
    return context.json({ ...showLogin(login), recovery_codes: revealed(codes) }, 200);
  });
  api.openapi(disableTwoFactor, async (context) => {
    const { password, code } = context.req.valid('json');
    return context.json(showLogin(await accountOf(people, context).disableTwoFactor(password, code)), 200);
  });
  api.openapi(renewRecoveryCodes, async (context) => {
    const { password, code } = context.req.valid('json');
    return context.json(
      { recovery_codes: revealed(await accountOf(people, context).renewRecoveryCodes(password, code)) },
      200,
    );
  });
}

function revealed(codes: readonly Secret[]): string[] {
  return codes.map((code) => code.reveal());
}
