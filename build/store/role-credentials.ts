// The credentials of a role, which expire. A web identity gets them from the token service of AWS, a machine from its
// metadata (IMDSv2). The address of the metadata is the one exception of the guard of egress, for this file alone.

import { readFile } from 'node:fs/promises';
import { isJsonObject } from '../contract/json.ts';
import type { AddressPolicy } from '../egress/address-policy.ts';
import { checkedUrl } from '../egress/checked-url.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from '../egress/guarded-agent.ts';
import { exchangeHttp, type OutgoingRequest } from '../egress/http-exchange.ts';
import { timedSignal } from '../shared/concurrency/timed-signal.ts';
import { messageOf } from '../shared/text/message-of.ts';
import { Secret } from '../shared/text/secret.ts';
import { awsDomain, given, type Environment } from './address.ts';
import { readAll } from './answers.ts';
import type { StoreKeys } from './signing.ts';
import { explainLoss, PassingFailure, StoreFailure } from './store-failure.ts';
import { textAt, xmlIn } from './xml.ts';

export interface CredentialOptions {
  readonly environment: Environment;
  /** the home folder of the person, for ~/.aws/credentials */
  readonly home: string;
  /** of the service that gives roles to web identities */
  readonly region: string;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly resolve?: Resolve | undefined;
  /** default: http://169.254.169.254 */
  readonly metadataOrigin?: string | undefined;
}

/** undefined: the environment names no token. */
export async function fromWebIdentity(options: CredentialOptions): Promise<StoreKeys | undefined> {
  const { environment, region } = options;
  const file = given(environment['AWS_WEB_IDENTITY_TOKEN_FILE']);
  if (file === undefined) return undefined;
  const role = given(environment['AWS_ROLE_ARN']);
  if (role === undefined) throw refused('AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN is not. Set both.');
  const own = given(environment['AWS_ENDPOINT_URL_STS']) ?? given(environment['AWS_ENDPOINT_URL']);
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: given(environment['AWS_ROLE_SESSION_NAME']) ?? 'libretto',
    WebIdentityToken: await tokenIn(file),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const service = own ?? `https://sts.${region}.${awsDomain(region)}/`;
  const { status, text } = await ask(service, () => true, options, { headers, body: form.toString() }, 20_000);
  const answer = xmlIn(text);
  if (status === 200)
    return roleKeys((name) => textAt(answer, 'AssumeRoleWithWebIdentityResult', 'Credentials', name), 'SessionToken');
  const code = /^\w{1,64}$/.exec(textAt(answer, 'Error', 'Code') ?? '')?.[0] ?? '';
  const said = `The token service answered ${status}${code && ` ${code}`} for the token in ${file}.`;
  if (status >= 500 || code === 'IDPCommunicationError')
    throw new PassingFailure('unreachable', `${said} Try again later.`);
  throw refused(`${said} Check AWS_ROLE_ARN, and whom the role trusts.`);
}

/** The token alone, or the answer of GitHub with the token as `value`. */
async function tokenIn(file: string): Promise<string> {
  const named = `${file}, which AWS_WEB_IDENTITY_TOKEN_FILE names,`;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw refused(`${named} could not be read: ${messageOf(cause)}.`);
  });
  const token = text.trimStart().startsWith('{') ? stringIn(text, 'value') : text.trim();
  if (token) return token;
  throw refused(`${named} holds no token.`);
}

const metadataPath = '/latest/meta-data/iam/security-credentials/';

/** undefined: there is no such machine, it has no role, or the environment switches this off. */
export async function fromMetadata(options: CredentialOptions): Promise<StoreKeys | undefined> {
  const { environment, metadataOrigin = 'http://169.254.169.254' } = options;
  if (given(environment['AWS_EC2_METADATA_DISABLED'])?.toLowerCase() === 'true') return undefined;
  const only = new URL(metadataOrigin).hostname;
  const asked = (path: string, request: AskedText): Promise<TextAnswer> =>
    ask(`${metadataOrigin}${path}`, (address) => address === only, options, request, 2000);
  const lifetime = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' };
  // without such an address, a request ends late or with an error
  const token = await asked('/latest/api/token', { method: 'PUT', headers: lifetime }).catch(() => undefined);
  if (token?.status !== 200) return undefined;
  const headers = { 'x-aws-ec2-metadata-token': token.text };
  const roles = await asked(metadataPath, { headers });
  const role = roles.text.split('\n')[0]?.trim() ?? '';
  if (roles.status !== 200 || role === '') return undefined;
  const { text } = await asked(`${metadataPath}${encodeURIComponent(role)}`, { headers });
  return roleKeys((name) => stringIn(text, name), 'Token');
}

/** `value`: of a field in the answer. Throws StoreFailure. */
function roleKeys(value: (name: string) => string | undefined, tokenName: string): StoreKeys {
  const [id, secret, token] = [value('AccessKeyId'), value('SecretAccessKey'), value(tokenName)];
  const expiresMs = Date.parse(value('Expiration') ?? '');
  if (id && secret && token && !Number.isNaN(expiresMs))
    return { accessKeyId: id, secretAccessKey: new Secret(secret), sessionToken: new Secret(token), expiresMs };
  throw refused('The source of the role sent no credentials. Check the role of this machine or of this job.');
}

type AskedText = Omit<OutgoingRequest, 'signal'>;

interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/** Names no address: it may hold a password. */
const what = 'The credentials of a role';

async function ask(
  address: string,
  policy: AddressPolicy,
  { resolve = resolveBySystem }: CredentialOptions,
  request: AskedText,
  timeoutMs: number,
): Promise<TextAnswer> {
  const agent = createGuardedAgent(policy, resolve);
  const { signal, clear } = timedSignal(timeoutMs);
  try {
    const { status, body } = await exchangeHttp(checkedUrl(address, policy), agent, { ...request, signal });
    return { status, text: (await readAll(body, 64 * 1024, what)).toString('utf8') };
  } catch (error) {
    throw explainLoss(what, error);
  } finally {
    clear();
    agent.destroy();
  }
}

/** undefined for other text, since an error of the parser would quote a secret */
function stringIn(text: string, name: string): string | undefined {
  try {
    const found: unknown = JSON.parse(text);
    const value = isJsonObject(found) ? found[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** No credentials, or unusable ones. */
export function refused(message: string): StoreFailure {
  return new StoreFailure('refused-credentials', message);
}
