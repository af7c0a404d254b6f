// The device flow over HTTP (RFC 8628): a terminal gets a code, and then asks for the token of the person who approved
// the code in the console. The same service as the page /ui/device.

import { RegistryError, type ErrorCode } from '../../../build/contract/errors.ts';
import { OAuthFault } from '../../device/oauth-fault.ts';
import type { Terminals } from '../../device/terminals.ts';
import type { HttpRequest } from '../../core/http/http-request.ts';
import { operation, pipelineErrors, type Api, type ApiContext } from '../frame/api.ts';
import { z } from 'zod';
import { longestDays, standardDays } from '../../device/sign-in-request.ts';
import { errorBody, errorResponses } from '../frame/error-responses.ts';
import { idSchema } from '../../registry/fields.ts';

const client = z.string().max(200).optional().meta({ description: 'always `libretto-cli`', example: 'libretto-cli' });

/**
 * The forms and answers of the device flow (RFC 8628) as the API document describes them. Every field is optional for
 * the parser, because the refusals of OAuth have a form of their own.
 */
const deviceForm = z
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

const deviceAnswer = z
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

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const redeemForm = z
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

const redeemAnswer = z
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

const oauthRefusal = z
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
function deviceRefusal(errors: readonly ErrorCode[]) {
  const shown = errorResponses(errors)[400];
  return {
    description: `a refusal of OAuth in \`error\`; otherwise ${shown?.description ?? ''}`,
    content: {
      'application/json': { schema: refusedDevice, examples: shown?.content['application/json'].examples ?? {} },
    },
  };
}

export interface DeviceServices {
  readonly terminals: Terminals;
  /** the address of the page where people type the code, for this request; undefined: the server has no console */
  readonly devicePage: (incoming: HttpRequest) => string | undefined;
}

const tags = ['Authentication'];
const formType = 'application/x-www-form-urlencoded';
/** Refusals of every form have the status 400. */
const refusals: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
  ...pipelineErrors('post'),
];

const requestDeviceCode = operation({
  operationId: 'requestDeviceCode',
  method: 'post',
  path: '/api/oauth/device_authorization',
  tags,
  summary: 'Ask for a code to sign a terminal in',
  description:
    'The first step of the device flow (RFC 8628), which `libretto login` uses. A person types the code in the console ' +
    'within ten minutes, and approves the sign-in there.',
  request: { body: { required: true, content: { [formType]: { schema: deviceForm } } } },
  responses: {
    200: { description: 'the codes', content: { 'application/json': { schema: deviceAnswer } } },
    400: deviceRefusal(['NOT_AVAILABLE', ...refusals]),
  },
  errors: ['NOT_AVAILABLE', 'TOO_MANY_ATTEMPTS'],
});

const redeemDeviceCode = operation({
  operationId: 'redeemDeviceCode',
  method: 'post',
  path: '/api/oauth/token',
  tags,
  summary: 'Ask for the token of a terminal',
  description:
    'The second step of the device flow. Until the person has decided, the answer is `authorization_pending`. A device ' +
    'code works once. The token has the role of the person, and ends with their account.',
  request: { body: { required: true, content: { [formType]: { schema: redeemForm } } } },
  responses: {
    200: { description: 'the token', content: { 'application/json': { schema: redeemAnswer } } },
    400: deviceRefusal(refusals),
  },
});

export function registerDeviceSignIn(api: Api, services: DeviceServices): void {
  registerRequest(api, services);
  registerRedemption(api, services);
}

function registerRequest(api: Api, { terminals, devicePage }: DeviceServices): void {
  api.openapi(requestDeviceCode, async (context) => {
    const { clientAddress, incoming } = context.env.exchange;
    const page = devicePage(incoming);
    if (page === undefined)
      throw new RegistryError('NOT_AVAILABLE', {
        message:
          'This registry has no console, so that nobody can approve a terminal. Use a token: `libretto token create`.',
      });
    const { client_id: client, machine, days } = context.req.valid('form');
    return asOAuth(context, async () => {
      const begun = await terminals.begin({ client, machine, days }, clientAddress);
      const { userCode: code } = begun;
      return context.json(
        {
          device_code: begun.deviceCode.reveal(),
          user_code: code,
          verification_uri: page,
          verification_uri_complete: `${page}?code=${code}`,
          expires_in: begun.expiresIn,
          interval: begun.interval,
        },
        200,
      );
    });
  });
}

function registerRedemption(api: Api, { terminals }: DeviceServices): void {
  api.openapi(redeemDeviceCode, async (context) => {
    const { grant_type: grant, device_code: deviceCode, client_id: client } = context.req.valid('form');
    return asOAuth(context, async () => {
      if (grant !== deviceGrant)
        throw new OAuthFault('unsupported_grant_type', `The registry knows only the grant type ${deviceGrant}.`);
      if (deviceCode === undefined) throw new OAuthFault('invalid_request', 'The field device_code is missing.');
      const { secret, record, user, rights } = await terminals.redeem(client, deviceCode);
      const expiresAt = record.expires_at ?? '';
      return context.json(
        {
          access_token: secret.reveal(),
          token_type: 'Bearer' as const,
          expires_in: Math.max(0, Math.floor((Date.parse(expiresAt) - context.env.exchange.nowMs) / 1000)),
          token_id: record.id,
          expires_at: expiresAt,
          email: user.email,
          role: user.role,
          rights,
        },
        200,
      );
    });
  });
}

/** A refusal of OAuth is an answer, whose form RFC 6749 §5.2 sets. */
async function asOAuth<Answer>(context: ApiContext, work: () => Promise<Answer>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthFault)) throw error;
    return context.json({ error: error.code, error_description: error.message }, 400);
  }
}
