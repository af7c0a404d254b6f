// An issuer of ID tokens on a real socket, as a CI system has one: a discovery document, a key set that can rotate, and
// every fault that an issuer can have.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { giveBackRsaKey, takeRsaKey } from './rsa-keys.ts';

export type IssuerFault =
  /** answers 503 */
  | 'down'
  /** never answers */
  | 'slow'
  /** describes itself as another issuer */
  | 'lying'
  /** names keys at another host without TLS */
  | 'keys elsewhere'
  /** answers with no JSON */
  | 'garbage';

export interface SignOptions {
  readonly alg?: 'RS256' | 'ES256';
  /** the header `kid`; default: that of the key */
  readonly kid?: string;
  /** signs with this key instead of its own */
  readonly key?: CryptoKey;
}

export interface OidcIssuer extends AsyncDisposable {
  readonly url: string;
  readonly sign: (claims: object, options?: SignOptions) => Promise<string>;
  /** Replaces all keys. */
  readonly rotate: () => Promise<void>;
  readonly fail: (fault: IssuerFault | undefined) => void;
  /** requests for the key set */
  readonly fetches: () => number;
  /** requests of any kind */
  readonly requests: () => number;
  readonly publicKeys: () => readonly JWK[];
}

interface Pair {
  readonly alg: 'RS256' | 'ES256';
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

let made = 0;

async function makePair(alg: Pair['alg']): Promise<Pair> {
  const { privateKey, publicKey } = await (alg === 'RS256'
    ? takeRsaKey()
    : generateKeyPair(alg, { extractable: true }));
  made += 1;
  const kid = `key-${made}`;
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

const makePairs = (): Promise<readonly Pair[]> => Promise.all([makePair('RS256'), makePair('ES256')]);

/** `path`: of the issuer, as GitHub Enterprise has /_services/token. */
export async function startOidcIssuer(path = ''): Promise<OidcIssuer> {
  let pairs = await makePairs();
  let fault: IssuerFault | undefined;
  let [fetches, requests] = [0, 0];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    if (request.url === `${path}/keys`) fetches += 1;
    if (fault === 'slow') return;
    if (fault === 'down') return void response.writeHead(503).end();
    if (fault === 'garbage') return void response.end('<html>');
    const answer = request.url === `${path}/keys` ? { keys: pairs.map(({ jwk }) => jwk) } : discovery(url, fault);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return {
    url,
    sign: (claims, { alg = 'RS256', kid, key } = {}) => {
      const pair = pairs.find((one) => one.alg === alg)!;
      return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid: kid ?? pair.kid }).sign(key ?? pair.privateKey);
    },
    rotate: async () => {
      pairs = await makePairs();
    },
    fail: (next) => {
      fault = next;
    },
    fetches: () => fetches,
    requests: () => requests,
    publicKeys: () => pairs.map(({ jwk }) => jwk),
    [Symbol.asyncDispose]: async () => {
      for (const pair of pairs) if (pair.alg === 'RS256') giveBackRsaKey(pair);
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function discovery(url: string, fault: IssuerFault | undefined): object {
  return {
    issuer: fault === 'lying' ? 'https://token.actions.githubusercontent.com' : url,
    jwks_uri: fault === 'keys elsewhere' ? 'http://keys.example.org/keys' : `${url}/keys`,
  };
}
