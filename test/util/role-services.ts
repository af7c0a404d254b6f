// The services that give the credentials of a role, at their socket: the metadata of a machine (IMDSv2) and the token
// service of AWS.

import { createServer, type IncomingMessage } from 'node:http';
import { listening } from './hostile-store.ts';

export interface RoleServices {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[];
  /** Both services give this key from now on. */
  readonly role: (accessKey: string, expiresMs: number) => void;
  /** the answer to the question for credentials; undefined: the machine has no role, and its metadata answers 404 */
  metadata: string | undefined;
  tokenServiceAnswers: { readonly status: number; readonly text: string };
  /** of all requests */
  redirectTo: string | undefined;
  readonly close: () => Promise<void>;
}

const metadataToken = 'token-of-the-metadata';
const rolePath = '/latest/meta-data/iam/security-credentials/';

export async function startRoleServices(): Promise<RoleServices> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { method = '', url: path = '', headers } = request;
      services.requests.push({ method, path, headers, body });
      const { status, text } = answerTo(services, `${method} ${path}`, headers);
      const location = services.redirectTo === undefined ? {} : { location: `${services.redirectTo}${path}` };
      response.writeHead(status, location);
      response.end(text);
    })();
  });
  const { endpoint, close } = await listening(server);
  const services: RoleServices = {
    origin: endpoint,
    close,
    requests: [],
    role: (accessKey, expiresMs) => {
      Object.assign(services, answersFor(accessKey, new Date(expiresMs).toISOString()));
    },
    metadata: undefined,
    tokenServiceAnswers: { status: 500, text: '' },
    redirectTo: undefined,
  };
  return services;
}

function answersFor(accessKey: string, expiration: string): Pick<RoleServices, 'metadata' | 'tokenServiceAnswers'> {
  const parts = { AccessKeyId: accessKey, SecretAccessKey: `secret of ${accessKey}`, Expiration: expiration };
  const token = `token of ${accessKey}`;
  const elements = Object.entries({ ...parts, SessionToken: token }).map(
    ([name, text]) => `<${name}>${text}</${name}>`,
  );
  const text =
    '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">' +
    `<AssumeRoleWithWebIdentityResult><Credentials>${elements.join('')}</Credentials>` +
    '</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>';
  const metadata = JSON.stringify({ Code: 'Success', Type: 'AWS-HMAC', ...parts, Token: token });
  return { metadata, tokenServiceAnswers: { status: 200, text } };
}

function answerTo(services: RoleServices, request: string, headers: IncomingMessage['headers']) {
  if (services.redirectTo !== undefined) return { status: 307, text: '' };
  if (request === 'POST /') return services.tokenServiceAnswers;
  if (request === 'PUT /latest/api/token' && headers['x-aws-ec2-metadata-token-ttl-seconds'] !== undefined)
    return services.metadata === undefined ? { status: 404, text: '' } : { status: 200, text: metadataToken };
  if (headers['x-aws-ec2-metadata-token'] !== metadataToken) return { status: 401, text: '' };
  if (request === `GET ${rolePath}`) return { status: 200, text: 'the role\n' };
  return { status: 200, text: services.metadata ?? '' };
}
