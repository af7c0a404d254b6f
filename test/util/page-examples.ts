// An address for each page of the console, on a registry that test/util/filled-registry.ts filled.

import type { FilledIds } from './filled-registry.ts';

/** Pages that need a query to show something. */
const queries: Readonly<Record<string, string>> = {
  '/packages/:vendor/:package/version': '?version=2.4.0',
  '/packages/:vendor/:package/files': '?path=composer.json',
  '/packages/:vendor/:package/withdraw': '?version=2.4.0',
  '/packages/:vendor/:package/restore': '?version=2.0.0',
  '/packages/:vendor/:package/why': '?version=2.0.0',
  '/packages/:vendor/:package/compare': '?from=2.4.0&to=2.4.1',
  '/packages/:vendor/:package/policy': '?version=2.4.0',
  '/tokens/:id': '?package=acme/billing',
  '/search': '?q=c',
};

/** Below /ui. Throws for a parameter without an example. */
export function exampleOf(path: string, ids: FilledIds): string {
  const values: Readonly<Record<string, string>> = {
    '/packages/:vendor': 'acme',
    '/packages/acme/:package': 'billing',
    '/mirror/:vendor': 'other',
    '/mirror/other/:package': 'library',
    '/tokens/:id': ids.token,
    '/people/:id': ids.person,
    [`/people/${ids.person}/sessions/:session`]: ids.personsSession,
    '/account/sessions/:id': ids.ownSession,
    '/account/passkeys/:id': 'pk_0000000000000000',
    '/account/tokens/:id': 'tok_0000000000000000',
    '/repositories/:id': ids.repository,
    [`/repositories/${ids.repository}/jobs/:job`]: ids.job,
    '/repositories/hook/:delivery': 'dlv_0000000000000000',
    [`/repositories/${ids.repository}/hook/:delivery`]: 'dlv_0000000000000000',
    '/policy/feeds/:feed': 'osv',
    '/policy/held/:vendor': 'acme',
    '/policy/held/acme/:package': 'billing',
    '/policy/held/acme/billing/:version': '2.4.0',
    '/projects/:id': ids.project,
    '/publishers/:id': ids.publisher,
    '/teams/:id': ids.team,
    [`/teams/${ids.team}/members/:user`]: ids.person,
    '/uploads/:id': ids.artifact,
    '/connections/:id': ids.connection,
    '/notifications/:id': ids.endpoint,
    [`/notifications/${ids.endpoint}/deliveries/:event`]: ids.event,
    '/history/:serial': '2',
    '/settings/:group': 'mirroring',
    '/settings/:key': 'mirroring.minimum_age',
  };
  const filled = path.split('/').reduce((before, part) => {
    if (!part.startsWith(':')) return before === '' ? part : `${before}/${part}`;
    const value = values[`/${before}/${part}`];
    if (value === undefined) throw new Error(`page-examples.ts has no example for ${part} in ${path}`);
    return `${before}/${encodeURIComponent(value)}`;
  });
  return `/${filled}${queries[path] ?? ''}`;
}
