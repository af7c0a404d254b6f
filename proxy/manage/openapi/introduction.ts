// The introduction of the OpenAPI document: access, the form of errors and lists, and the purpose of each group of
// operations.

import { errorTable, type ErrorCode } from '../../../build/contract/errors.ts';

const codes = (Object.keys(errorTable) as ErrorCode[]).map(
  (code) => `| \`${code}\` | ${errorTable[code].status} | ${errorTable[code].message} |`,
);

export const about = `A private Composer registry: packages for clients with a token, and an API to manage the registry.

**Authentication.** Send an API token, or the session of a person (\`POST /api/auth/login\`), in the header \`Authorization: Bearer …\`. The server sets and reads
no cookie, and pages of other hosts cannot call it.

**Errors** have one form, \`{error, code, details}\`: a text for people, a code for programs, and more data. In the management API, unknown fields
are errors, and so are unknown query parameters of operations with query parameters. \`HEAD\` answers like \`GET\`, without the body.

**Lists** have pages, \`{data, next_cursor}\`: repeat the request with \`?cursor=\` until \`next_cursor\` is null.

All error codes:

| Code | Status | Meaning |
|---|---|---|
${codes.join('\n')}
`;

/** Libretto's makers: who runs a registry, its own pages say. */
export const contact = { name: 'The maintainers of Libretto' } as const;

/** In an order for readers. */
export const tags = [
  {
    name: 'Composer',
    description:
      'Endpoints for Composer: the list of packages, their versions and archives. They require an API token.',
  },
  { name: 'Feeds', description: 'Atom feeds of published versions, for feed readers. They require an API token.' },
  {
    name: 'Authentication',
    description: 'First setup, login, password, two-factor authentication, sessions and invitations.',
  },
  { name: 'Users', description: 'The people who manage this registry, and their roles.' },
  { name: 'Teams', description: 'Groups of people, and the packages that they see.' },
  { name: 'Tokens', description: 'API tokens for Composer and CI jobs.' },
  {
    name: 'Trusted publishers',
    description:
      'CI jobs that publish and install without a stored secret: they exchange the ID token of their CI system for a ' +
      'token of a few minutes.',
  },
  {
    name: 'Repositories',
    description: 'Git repositories and folders that the registry reads by itself, and their syncs.',
  },
  {
    name: 'Notifications',
    description: 'Endpoints that are notified of events: webhooks out, and chat services. With their deliveries.',
  },
  {
    name: 'Webhooks',
    description:
      'The addresses that git hosts send webhooks to, their secrets, and the deliveries that arrived. A webhook ' +
      'starts a sync.',
  },
  {
    name: 'Connections',
    description: 'Connections to forges: the registry registers the repositories of an owner by itself.',
  },
  { name: 'Artifacts', description: 'Packages that were uploaded as ZIPs.' },
  { name: 'Packages', description: 'Published packages, their sources and their usage.' },
  {
    name: 'Policy',
    description: 'Rules about versions: which ones are not offered, and which ones clients are warned of.',
  },
  { name: 'Settings', description: 'Settings that can be changed while the registry runs.' },
  { name: 'Audit', description: 'The audit log of all changes.' },
  { name: 'Status', description: 'The state of the registry.' },
  { name: 'Description', description: 'This document, and a page that shows it.' },
] as const;

export const securitySchemes = {
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The session of a person: the `token` from the answer to `POST /api/auth/login`.',
  },
  personalToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API token',
    description: 'A token of a person, from `libretto login`. It has the role of the person.',
  },
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API token',
    description: 'An API token, of kind `read` or `write`.',
  },
  tokenAsPassword: {
    type: 'http',
    scheme: 'basic',
    description:
      'An API token as the password, with any user name. Composer sends this after it asked its user for a password.',
  },
} as const;
