// The client secrets of identity providers: read from the environment or from a file at each use, so that a new secret
// needs no restart where it is in a file.

import { readFile } from 'node:fs/promises';
import { Secret } from '../../build/shared/text/secret.ts';
import type { IdentityProvider } from '../../proxy/sso/model/provider.ts';
import type { Environment } from '../io/environment.ts';
import { describeReadFault } from '../io/read-fault.ts';

/** undefined: a public client. Rejects with an Error that says where the secret was sought, and what is wrong. */
export async function readClientSecret(
  { id, clientSecret: place }: IdentityProvider,
  environment: Environment,
): Promise<Secret | undefined> {
  if (place === undefined) return undefined;
  if ('env' in place) return checked(environment[place.env], `the variable ${place.env} is not set or is empty`, id);
  const text = await readFile(place.file, 'utf8').catch((error: unknown) => {
    throw missing(id, `${place.file} cannot be read: ${describeReadFault(error)}`, error);
  });
  return checked(text.trim(), `${place.file} is empty`, id);
}

function checked(text: string | undefined, fault: string, id: string): Secret {
  if (text === undefined || text === '') throw missing(id, fault);
  return new Secret(text);
}

function missing(id: string, fault: string, cause?: unknown): Error {
  return new Error(`The client secret of the identity provider ${id} is missing: ${fault}.`, { cause });
}
