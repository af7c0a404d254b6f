// An authenticator for passkeys in software, as a test controls it: it answers for any site and origin, with or without
// asking its person, and counts as it is told.

import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';

/** The options that the registry gives, as far as an authenticator reads them. */
export interface PasskeyQuestion {
  readonly token: string;
  readonly options: {
    readonly challenge: string;
    readonly rpId?: string;
    readonly rp?: { readonly id: string };
    readonly user?: { readonly id: string };
    readonly allowCredentials?: readonly { readonly id: string }[];
  };
}

/** What a test changes of an honest answer. */
export interface Twist {
  readonly rpId?: string;
  /** false: the authenticator did not ask for finger, face or PIN */
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly challenge?: string;
  readonly userHandle?: string;
  readonly type?: string;
  /** the id in the attested data; default: that of the credential */
  readonly attestedId?: Buffer;
  /** true: the public key is a point beside its curve */
  readonly isOffCurve?: boolean;
}

export interface SoftAuthenticator {
  /** of its credential, base64url */
  readonly id: string;
  /** answers navigator.credentials.create: the JSON of the credential */
  readonly create: (question: PasskeyQuestion, origin: string, twist?: Twist) => string;
  /** answers navigator.credentials.get */
  readonly get: (question: PasskeyQuestion, origin: string, twist?: Twist) => string;
}

export function softAuthenticator(): SoftAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(16);
  const id = credentialId.toString('base64url');
  let owner = '';
  let counter = 0;
  const shared = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
  return {
    id,
    create: ({ options }, origin, twist = {}) => {
      owner = options.user?.id ?? '';
      const clientData = clientDataOf('webauthn.create', options.challenge, origin, twist);
      const attestedId = twist.attestedId ?? credentialId;
      const attested = attestedOf(attestedId, publicKey, twist);
      const authData = Buffer.concat([
        headOf(twist.rpId ?? options.rp?.id ?? '', twist.counter ?? counter, twist, 0x40),
        attested,
      ]);
      const attestationObject = cborMap([
        ['fmt', cborText('none')],
        ['attStmt', Buffer.from([0xa0])],
        ['authData', cborBytes(authData)],
      ]);
      const response = { ...encoded({ clientDataJSON: clientData, attestationObject }), transports: ['internal'] };
      const named = attestedId.length === 0 ? id : attestedId.toString('base64url');
      return JSON.stringify({ ...shared, id: named, rawId: named, response });
    },
    get: ({ options }, origin, twist = {}) => {
      counter += 1;
      const clientDataJSON = clientDataOf('webauthn.get', options.challenge, origin, twist);
      const authenticatorData = headOf(twist.rpId ?? options.rpId ?? '', twist.counter ?? counter, twist, 0);
      const signature = sign(privateKey, Buffer.concat([authenticatorData, sha256(clientDataJSON)]));
      const response = {
        ...encoded({ clientDataJSON, authenticatorData, signature }),
        userHandle: twist.userHandle ?? owner,
      };
      return JSON.stringify({ ...shared, response });
    },
  };
}

function attestedOf(id: Buffer, key: KeyObject, { isOffCurve = false }: Twist): Buffer {
  const cose = coseOf(key);
  if (isOffCurve) cose.writeUInt8(cose.readUInt8(cose.length - 1) ^ 1, cose.length - 1);
  return Buffer.concat([Buffer.alloc(16), Buffer.from([id.length >> 8, id.length & 255]), id, cose]);
}

function clientDataOf(type: string, challenge: string, origin: string, twist: Twist): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: twist.type ?? type,
      challenge: twist.challenge ?? challenge,
      origin,
      crossOrigin: false,
    }),
  );
}

/** The head of authenticator data: site, flags (present, verified), count. */
function headOf(rpId: string, counter: number, { isVerified = true }: Twist, more: number): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([0x01 | (isVerified ? 0x04 : 0) | more]), count]);
}

/** The public key in COSE: EC2, ES256, P-256. */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' }) as { readonly x?: string; readonly y?: string };
  const [xBytes, yBytes] = [x, y].map((text) => Buffer.from(text, 'base64url'));
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
  return Buffer.concat([head, cborBytes(xBytes ?? head), Buffer.from([0x22]), cborBytes(yBytes ?? head)]);
}

function cborMap(entries: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([
    Buffer.from([0xa0 + entries.length]),
    ...entries.flatMap(([key, value]) => [cborText(key), value]),
  ]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
}

function sign(key: KeyObject, data: Buffer): Buffer {
  return createSign('sha256').update(data).sign(key);
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

function encoded<Name extends string>(fields: Readonly<Record<Name, Buffer>>): Record<Name, string> {
  return Object.fromEntries(
    Object.entries<Buffer>(fields).map(([name, bytes]) => [name, bytes.toString('base64url')]),
  ) as Record<Name, string>;
}
