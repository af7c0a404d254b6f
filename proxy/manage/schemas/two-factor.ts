// Two-factor authentication as the management API shows and takes it.

import { z } from '@hono/zod-openapi';
import { code, loggedIn, password } from './user.ts';

export const twoFactorSetup = z.strictObject({ password }).openapi('TwoFactorSetup');
export const twoFactorSecret = z
  .object({
    secret: z.string().openapi({
      description: 'the secret to type into an authenticator, in base32',
      example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    }),
    uri: z.string().openapi({
      description: 'the secret as a link for authenticators',
      example: 'otpauth://totp/Libretto:ada%40example.org?issuer=Libretto&secret=…',
    }),
    qr_svg: z.string().openapi({ description: 'the link as a QR code, an SVG document' }),
  })
  .openapi('TwoFactorSecret');

export const twoFactorCode = z.strictObject({ code }).openapi('TwoFactorCode');
export const twoFactorProof = z.strictObject({ password, code }).openapi('TwoFactorProof');

export const recoveryCodes = z
  .object({
    recovery_codes: z.array(z.string()).openapi({
      description: 'ten codes, each for one login without the authenticator; they appear only in this answer',
    }),
  })
  .openapi('RecoveryCodes');
export const twoFactorEnabled = loggedIn.extend(recoveryCodes.shape).openapi('TwoFactorEnabled');
