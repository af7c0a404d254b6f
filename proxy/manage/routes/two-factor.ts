// Two-factor authentication over HTTP: set up, enable with a code, disable with password and code.

import { renderSVG } from 'uqr';
import type { Secret } from '../../../build/shared/text/secret.ts';
import { operation } from '../../registry/operation.ts';
import { loggedIn, code, password } from '../schemas/user.ts';
import { accountOf, showLogin, type AuthenticationServices } from './authentication.ts';
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

const common = { method: 'post', tag: 'Authentication' } as const;
const errors = ['INVALID_CREDENTIALS', 'TWO_FACTOR_STATE', 'TOO_MANY_ATTEMPTS', 'NOT_FOUND'] as const;

const setUpTwoFactor = operation({
  ...common,
  id: 'setUpTwoFactor',
  path: '/api/auth/2fa/setup',
  summary: 'Set up two-factor authentication',
  description:
    'Returns a secret for an authenticator. It has no effect until it is enabled with a code. A repeated ' +
    'request returns another secret.',
  body: twoFactorSetup,
  answer: twoFactorSecret,
  answers: 'the secret; it appears only in this answer',
  errors,
  run: async ({ people }: AuthenticationServices, { password }, call) => {
    const { secret, uri } = await accountOf(people, call).setUpTwoFactor(password);
    return { secret: secret.reveal(), uri: uri.reveal(), qr_svg: renderSVG(uri.reveal()) };
  },
});

const enableTwoFactor = operation({
  ...common,
  id: 'enableTwoFactor',
  path: '/api/auth/2fa/enable',
  summary: 'Enable two-factor authentication',
  description:
    'Requires a code from the new authenticator. Ends all sessions, including this one, and starts a new session.',
  body: twoFactorCode,
  answer: twoFactorEnabled,
  answers: 'a new session, and the recovery codes',
  errors,
  run: async ({ people }: AuthenticationServices, { code }, call) => {
    const { recoveryCodes: codes, ...login } = await accountOf(people, call).enableTwoFactor(code);
    return { ...showLogin(login), ...showCodes(codes) };
  },
});

const disableTwoFactor = operation({
  ...common,
  id: 'disableTwoFactor',
  path: '/api/auth/2fa/disable',
  summary: 'Disable two-factor authentication',
  description: 'Ends all sessions, including this one, and starts a new session.',
  body: twoFactorProof,
  answer: loggedIn,
  answers: 'a new session',
  errors: [...errors, 'LAST_ADMIN'],
  run: async ({ people }: AuthenticationServices, { password, code }, call) =>
    showLogin(await accountOf(people, call).disableTwoFactor(password, code)),
});

const renewRecoveryCodes = operation({
  ...common,
  id: 'renewRecoveryCodes',
  path: '/api/auth/2fa/recovery-codes',
  summary: 'Renew your recovery codes',
  description: 'Returns ten new codes; the previous codes become invalid.',
  body: twoFactorProof,
  answer: recoveryCodes,
  answers: 'the recovery codes',
  errors,
  run: async ({ people }: AuthenticationServices, { password, code }, call) =>
    showCodes(await accountOf(people, call).renewRecoveryCodes(password, code)),
});

export const twoFactorOperations = [setUpTwoFactor, enableTwoFactor, disableTwoFactor, renewRecoveryCodes];

function showCodes(codes: readonly Secret[]): z.infer<typeof recoveryCodes> {
  return { recovery_codes: codes.map((code) => code.reveal()) };
}
