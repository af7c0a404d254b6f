// The forms and answers of the device flow (RFC 8628) as the API document describes them. Every field is optional for
// the parser, because the refusals of OAuth have a form of their own.

import { z } from 'zod';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { longestDays, standardDays } from '../../device/sign-in-request.ts';
import { errorBody, errorResponses } from '../frame/error-responses.ts';
import { idSchema } from '../../registry/fields.ts';

const client = z.string().max(200).optional().meta({ description: 'always `libretto-cli`', example: 'libretto-cli' });

export const deviceForm = z
  .object({
    client_id: client,
    machine: z
      .string()
      .max(400)
      .optional()
      .meta({ description: 'the name of the machine, which the person sees', example: 'ada-laptop' }),
    days: z
      .string()
      .max(10)
      .optional()
      .meta({
        description: `how many days the token is valid: 1 to ${longestDays}; default: ${standardDays}`,
        example: '30',
      }),
  })
  .meta({ id: 'DeviceAuthorizationRequest' });

export const deviceAnswer = z
  .object({
    device_code: z.string().meta({ description: 'the secret of the terminal, for `POST /api/oauth/token`' }),
    user_code: z.string().meta({ description: 'the code that the person types', example: 'K7QM-2XRD' }),
    verification_uri: z
      .string()
      .meta({ description: 'the page that the person opens', example: 'https://packages.example.org/ui/device' }),
    verification_uri_complete: z.string().meta({ description: 'the same page, with the code in its field' }),
    expires_in: z.number().int().meta({ description: 'seconds until the codes expire', example: 600 }),
    interval: z.number().int().meta({ description: 'seconds between two questions', example: 5 }),
  })
  .meta({ id: 'DeviceAuthorization' });

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export const redeemForm = z
  .object({
    grant_type: z
      .string()
      .max(200)
      .optional()
      .meta({ description: `always \`${deviceGrant}\``, example: deviceGrant }),
    device_code: z.string().max(200).optional().meta({ description: 'from the answer of the first step' }),
    client_id: client,
  })
  .meta({ id: 'DeviceTokenRequest' });

export const redeemAnswer = z
  .object({
    access_token: z.string().meta({ description: 'the token; it appears only in this answer' }),
    token_type: z.literal('Bearer').meta({ description: 'how the token is sent: `Authorization: Bearer …`' }),
    expires_in: z.number().int().meta({ description: 'seconds until the token expires' }),
    token_id: idSchema('tok', 'the token'),
    expires_at: z.string().meta({ description: 'when the token expires', format: 'date-time' }),
    email: z.string().meta({ description: 'the person whose token it is', example: 'ada@example.org' }),
    role: z.string().meta({ description: 'their role now', example: 'maintainer' }),
    rights: z.string().meta({
      description: 'what the token can do now, in sentences for the person',
      example: 'It can read all packages.',
    }),
  })
  .meta({ id: 'DeviceToken' });

export const oauthRefusal = z
  .object({
    error: z
      .enum([
        'invalid_request',
        'invalid_client',
        'invalid_grant',
        'unsupported_grant_type',
        'authorization_pending',
        'slow_down',
        'expired_token',
        'access_denied',
      ])
      .meta({ description: 'the refusal, for a program' }),
    error_description: z.string().meta({ description: 'the refusal and the next step, for a person' }),
  })
  .meta({ id: 'OAuthRefusal' });

/** The 400 of these operations: a refusal of OAuth, or of the API itself. */
const refusedDevice = z.union([oauthRefusal, errorBody]);

/** As the document describes it. `errors`: the codes of the API that have this status. */
export function deviceRefusal(errors: readonly ErrorCode[]) {
  const shown = errorResponses(errors)[400];
  return {
    description: `a refusal of OAuth in \`error\`; otherwise ${shown?.description ?? ''}`,
    content: {
      'application/json': { schema: refusedDevice, examples: shown?.content['application/json'].examples ?? {} },
    },
  };
}
