// The refusals of the device flow, with the codes of RFC 6749 §5.2 and RFC 8628 §3.5. Clients read the code, and people
// the sentence. Pure.

export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'access_denied';

export class OAuthFault extends Error {
  readonly code: OAuthCode;

  constructor(code: OAuthCode, message: string) {
    super(message);
    this.name = 'OAuthFault';
    this.code = code;
  }
}

export const unknownClient = (): OAuthFault =>
  new OAuthFault('invalid_client', 'The registry knows only the client libretto-cli. Send it as client_id.');

export const unknownCode = (): OAuthFault =>
  new OAuthFault(
    'invalid_grant',
    'This device code is unknown, belongs to another client, or was used already. Begin again: `libretto login`.',
  );

export const waiting = (): OAuthFault =>
  new OAuthFault('authorization_pending', 'Nobody has approved the sign-in yet. Ask again after the interval.');

export const tooSoon = (interval: number): OAuthFault =>
  new OAuthFault('slow_down', `The terminal asks too often. Ask again after ${interval} seconds.`);

export const over = (): OAuthFault =>
  new OAuthFault('expired_token', 'The code has expired after ten minutes. Begin again: `libretto login`.');

export const denied = (): OAuthFault =>
  new OAuthFault('access_denied', 'The sign-in was denied in the console, so this terminal has no token.');
