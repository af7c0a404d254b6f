// One entry of `identityProviders`: a provider of OpenID Connect, at which people sign in to the console.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { roles } from '../../proxy/auth/permissions.ts';
import {
  isIssuerAddress,
  issuerAddressPattern,
  longestSessionHours,
  providerIdPattern,
  standardClaims,
  standardScopes,
  waysToConfirm,
  type IdentityProvider,
  type SecretPlace,
} from '../../proxy/sso/model/provider.ts';
import { choice, complaintOf, listOf, mapOf, meant, orList, text, type ReportFault, type Shape } from './shape.ts';
import { plainText } from './text-schemas.ts';

const someText = (allowed: string, description: string): Shape<string> =>
  text({ pattern: plainText, allowed, description });

const issuerAllowed = 'the https address of the provider, exactly as its claim "iss" has it';
const secretAllowed = '{"env": "NAME"} or {"file": "PATH"}: the secret itself does not belong into this file';

const bool = (description: string): Shape<boolean> => ({
  schema: { type: 'boolean', description },
  read: (value, at, refuse) => (typeof value === 'boolean' ? value : refuse(at, complaintOf(value, 'true or false'))),
});

const hours: Shape<number> = {
  schema: { type: 'integer', minimum: 1, maximum: longestSessionHours, description: 'the longest session, in hours' },
  read(value, at, refuse) {
    if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longestSessionHours) return Number(value);
    return refuse(at, complaintOf(value, `a whole number from 1 to ${longestSessionHours}`));
  },
};

/** The message omits the value, which may be the secret itself. */
const secret: Shape<SecretPlace> = {
  schema: {
    description: 'where the client secret is; left out: a public client',
    oneOf: ['env', 'file'].map((key) => ({
      type: 'object',
      required: [key],
      properties: { [key]: { type: 'string', pattern: plainText } },
      additionalProperties: false,
    })),
  },
  read(value, at, refuse) {
    const [[key, place] = [], ...more] = isJsonObject(value) ? Object.entries(value) : [];
    const isPlace = typeof place === 'string' && new RegExp(plainText, 'u').test(place) && more.length === 0;
    if (isPlace && key === 'env') return { env: place };
    if (isPlace && key === 'file') return { file: place };
    return refuse(at, `is not the place of a secret; allowed: ${secretAllowed}.`);
  },
};

const claimName = someText('the name of a claim, such as "groups" or "realm_access.roles"', 'the name of a claim');
const claims = fieldsOf('claims', { email: claimName, name: claimName, roles: claimName }, []);

const fields = {
  id: text({
    pattern: providerIdPattern,
    allowed: 'at most 32 lower case letters, digits and hyphens, such as "keycloak"',
    description: 'names the provider in addresses',
  }),
  title: someText('the name that people know, such as "Example login"', 'for the button of the sign-in page'),
  issuer: text({
    pattern: issuerAddressPattern,
    allowed: issuerAllowed,
    description: issuerAllowed,
    objection: (given) => (isIssuerAddress(given) ? undefined : complaintOf(given, issuerAllowed)),
  }),
  clientId: someText('the id that the provider gave this registry', 'the id of this registry at the provider'),
  clientSecret: secret,
  scopes: listOf(text({ pattern: String.raw`^[!#-\[\]-~]+$`, allowed: 'a scope such as "groups"' }), {
    allowed: 'a list of scopes such as ["openid", "profile", "email", "groups"]',
    description: 'what is asked for; default: openid, profile and email',
  }),
  claims,
  roles: mapOf(
    text({ pattern: plainText, allowed: 'the name of a group' }),
    choice(roles, 'the role here'),
    'an object such as {"developers": "maintainer", "everybody": "viewer"}',
    'group at the provider → role here; without one of these groups nobody comes in',
  ),
  linkByEmail: bool('true: a verified e-mail address opens an account that exists here already'),
  sessionHours: hours,
  confirmBy: choice(
    waysToConfirm,
    'what confirms dangerous actions; sign-in: also a sign-in without the claim auth_time',
  ),
  logout: bool('false: signing out here does not lead to the page of the provider'),
};
const required = ['id', 'title', 'issuer', 'clientId'];

const given = fieldsOf('a provider', fields, required);

export const identityProviderShape: Shape<IdentityProvider> = {
  schema: given.schema,
  read(value, at, refuse) {
    const found = given.read(value, at, refuse) as Partial<IdentityProvider> | undefined;
    if (found === undefined) return undefined;
    const { id = '', title = '', issuer = '', clientId = '', clientSecret } = found;
    return {
      id,
      title,
      issuer,
      clientId,
      clientSecret,
      scopes: [...new Set(['openid', ...(found.scopes ?? standardScopes)])],
      claims: { ...standardClaims, ...found.claims },
      roles: found.roles ?? {},
      linkByEmail: found.linkByEmail ?? false,
      sessionHours: found.sessionHours ?? longestSessionHours,
      confirmBy: found.confirmBy ?? 'auth_time',
      logout: found.logout ?? true,
    };
  },
};

const providers = listOf(identityProviderShape, {
  allowed: 'a list of objects such as [{"id": "keycloak", "title": "…", "issuer": "https://…", "clientId": "…"}]',
  atLeast: 0,
  atMost: 20,
});

export const identityProvidersShape: Shape<readonly IdentityProvider[]> = {
  schema: providers.schema,
  read(value, at, refuse) {
    const found = providers.read(value, at, refuse);
    const twice = found === undefined ? [] : [...repeated(found, 'id'), ...repeated(found, 'issuer')];
    for (const { place, complaint } of twice) refuse(`${at}${place}`, complaint);
    return twice.length > 0 ? undefined : found;
  },
};

function repeated(found: readonly IdentityProvider[], field: 'id' | 'issuer') {
  return found.flatMap((provider, index) => {
    const first = found.findIndex((other) => other[field] === provider[field]);
    if (first === index) return [];
    const complaint = `is ${JSON.stringify(provider[field])}, which entry ${first + 1} of the list has too.`;
    return [{ place: `[${index}].${field}`, complaint }];
  });
}

/** An object with these fields and no others. `what`: names it in messages. */
function fieldsOf(
  what: string,
  shapes: Readonly<Record<string, Shape<unknown>>>,
  needed: readonly string[],
): Shape<JsonObject> {
  const names = Object.keys(shapes);
  return {
    schema: {
      type: 'object',
      ...(needed.length === 0 ? {} : { required: needed }),
      properties: Object.fromEntries(names.map((name) => [name, shapes[name]?.schema ?? {}])),
      additionalProperties: false,
    },
    read(value, at, refuse) {
      if (!isJsonObject(value)) return refuse(at, complaintOf(value, `an object with ${orList(names)}`));
      return readFields({ what, shapes, needed, names }, value, at, refuse);
    },
  };
}

function readFields(
  {
    what,
    shapes,
    needed,
    names,
  }: {
    readonly what: string;
    readonly shapes: Readonly<Record<string, Shape<unknown>>>;
    readonly needed: readonly string[];
    readonly names: readonly string[];
  },
  value: JsonObject,
  at: string,
  refuse: ReportFault,
): JsonObject | undefined {
  const missing = needed.filter((name) => value[name] === undefined);
  for (const name of missing) refuse(at, `has no ${name}.`);
  const found = Object.entries(value).flatMap(([name, one]) => {
    if (one === undefined) return [];
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape === undefined)
      refuse(`${at}.${name}`, `is not a field of ${what}${meant(name, names) || `; it has ${orList(names)}.`}`);
    return [[name, shape?.read(one, `${at}.${name}`, refuse)] as const];
  });
  const isWrong = missing.length > 0 || found.some(([, one]) => one === undefined);
  return isWrong ? undefined : (Object.fromEntries(found) as Readonly<Record<string, JsonValue>>);
}
