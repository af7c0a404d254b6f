// What the description of the service says in words: to whom it is open, how errors and lists look, what each group of
// operations is for.

import { errorTable, type ErrorCode } from '../../../build/contract/errors.ts';

const codes = (Object.keys(errorTable) as ErrorCode[]).map(
  (code) => `| \`${code}\` | ${errorTable[code].status} | ${errorTable[code].message} |`,
);

export const about = `A private Composer registry: packages for those who hold a token, and the management of all of it.

**Who asks.** An API token, or the session of a person (\`POST /api/auth/login\`), in the header \`Authorization: Bearer …\`. No cookie is set or read,
and pages of other hosts cannot call this service.

**Errors** have one form, \`{error, code, details}\`: a sentence for a person, a code for a program, and what else is known. Unknown fields and
(where an operation takes any) unknown query parameters of the management API are errors. \`HEAD\` answers as \`GET\` does, without the body.

**Lists** come in pages, \`{data, next_cursor}\`: ask again with \`?cursor=\` until \`next_cursor\` is null.

The closed list of error codes:

| Code | Status | Meaning |
|---|---|---|
${codes.join('\n')}
`;

/** Libretto's makers: who runs a registry, its own pages say. */
export const contact = { name: 'The maintainers of Libretto' } as const;

/** In the order in which a reader wants them. */
export const tags = [
  {
    name: 'Composer',
    description: 'What Composer reads: the list of packages, their versions, their archives. For API tokens.',
  },
  {
    name: 'Authentication',
    description:
      'Coming in and going out: first setup, login, password, two-factor authentication, sessions, invitations.',
  },
  { name: 'Users', description: 'The people who manage this registry, and their roles.' },
  { name: 'Tokens', description: 'API tokens: what Composer and CI jobs hold.' },
  {
    name: 'Repositories',
    description: 'Git repositories and folders that the registry reads by itself, and their syncs.',
  },
  { name: 'Artifacts', description: 'Packages that were uploaded as ZIPs.' },
  { name: 'Packages', description: 'What is published, where it comes from and how it is used.' },
  { name: 'Settings', description: 'What can be set while the service runs.' },
  { name: 'Audit', description: 'Who changed what, and when.' },
  { name: 'Status', description: 'How the service is.' },
  { name: 'Description', description: 'This document, and the page that shows it.' },
] as const;

export const securitySchemes = {
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A person: the `token` that `POST /api/auth/login` answers with.',
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
    description: 'An API token as the password, with any user name: what Composer sends where it asked for a password.',
  },
} as const;
