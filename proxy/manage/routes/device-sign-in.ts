// The device flow over HTTP (RFC 8628): a terminal gets a code, and then asks for the token of the person who approved
// the code in the console. The same service as the page /ui/device.

import { RegistryError, type ErrorCode } from '../../../build/contract/errors.ts';
import { OAuthFault } from '../../device/oauth-fault.ts';
import type { Terminals } from '../../device/terminals.ts';
import type { HttpRequest } from '../../core/http/http-request.ts';
import { operation, pipelineErrors, type Api, type ApiContext } from '../frame/api.ts';
import { deviceAnswer, deviceForm, deviceGrant, deviceRefusal, redeemAnswer, redeemForm } from '../schemas/device.ts';

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
