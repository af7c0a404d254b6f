// What the browser posts after a ceremony, as the page's script writes it. The texts inside are checked by the library.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import { parseJson } from '../../build/shared/json/parse-json.ts';

/** The answer to a challenge. */
export interface PasskeyAnswer {
  /** of the challenge */
  readonly token: string;
  /** JSON of a PublicKeyCredential */
  readonly credential: string;
}

const base64url = z.string().regex(/^[\w-]+$/);
const shared = {
  id: base64url.max(1364), // 1023 bytes, the most of WebAuthn
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
};
const assertion = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.string().nullish(),
  }),
});
const attestation = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(40)).max(10).default([]),
  }),
});

export type Assertion = z.infer<typeof assertion>;
export type Attestation = z.infer<typeof attestation>;

/** Throws INVALID_INPUT. */
export function parseAssertion(text: string): Assertion {
  return parse(assertion, text);
}

/** Throws INVALID_INPUT. */
export function parseAttestation(text: string): Attestation {
  return parse(attestation, text);
}

function parse<Shape>(shape: z.ZodType<Shape>, text: string): Shape {
  const parsed = shape.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new RegistryError('INVALID_INPUT', {
    message: 'The answer of the passkey cannot be read. Load the page again, and use the passkey once more.',
  });
}
