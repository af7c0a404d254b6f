// The shipped server with something on every page of the console: packages of several builds, withdrawn and left-out
// versions, mirrored packages, tokens, trusted publishers, repositories with jobs, notifications, people, uploads, and
// what the audit log has.

import { setTimeout as sleep } from 'node:timers/promises';
import { firstPackages, secondPackages } from './filled-packages.ts';
import type { FakeForge } from './forges/fake-forge.ts';
import { startGitHub } from './forges/fake-github.ts';
import { startGitHttpServer, type GitHttpServer } from './git-http-server.ts';
import { addNotifications, type FilledNotifications } from './filled-notifications.ts';
import { addPublishers, type FilledPublishers } from './filled-publishers.ts';
import { createRepository } from './git-repository.ts';
import { startManagedRegistry, type ManagedRegistry } from './managed-registry.ts';
import { startOidcIssuer } from './oidc-issuer.ts';
import { archiveFor } from './mirroring-registry.ts';
import { below, writeTree, type Tree } from './package-tree.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { startUpstream } from './upstream.ts';
import { startReceiver } from './webhook-receiver.ts';
import { whoLibrary } from './who-library.ts';

type Json = Record<string, unknown>;

export interface FilledRegistry extends AsyncDisposable {
  readonly registry: ManagedRegistry;
  readonly ids: FilledIds;
}

/** One thing of each kind. */
export interface FilledIds extends FilledNotifications, Pick<FilledPublishers, 'publisher'> {
  readonly token: string;
  readonly person: string;
  /** the person is in it */
  readonly team: string;
  readonly personsSession: string;
  readonly ownSession: string;
  readonly repository: string;
  readonly job: string;
  readonly artifact: string;
  /** reported what it runs */
  readonly project: string;
  readonly connection: string;
}

/** The admin that `startManagedRegistry` creates. */
export const admin = { email: 'ada@example.org', password: 'correct horse battery staple' };

const maintainer = { email: 'grace@example.org', password: 'a much longer password' };

/** A person of each role. */
export const people = { admin, maintainer, viewer: { email: 'joan@example.org', password: 'another long password' } };

/** What the two builds read. `acme/billing` has the versions 2.0.0, 2.4.0 and 2.4.1. */
export interface PublishedPackages {
  readonly first: Tree;
  /** in addition; one package of it cannot be published */
  readonly second: Tree;
  /** the name of a repository that publishes, at the forge and as a publisher */
  readonly project: string;
}

const extremes: PublishedPackages = {
  first: firstPackages,
  second: secondPackages,
  project: `a-${'very-'.repeat(12)}long-name`,
};

export async function startFilledRegistry(packages = extremes): Promise<FilledRegistry> {
  const folder = temporaryFolder('remote');
  const [upstream, remote, forge, receiver, issuer] = await Promise.all([
    startUpstream(),
    startGitHttpServer(folder.path),
    startGitHub(),
    startReceiver(),
    startOidcIssuer('/_services/token'),
  ]);
  const registry = await startManagedRegistry({
    publicUrl: 'https://packages.example.org',
    egress: { allow: ['127.0.0.0/8'] },
    oidcIssuers: [`github=${issuer.url}`, 'gitlab'],
  });
  const dispose = async (): Promise<void> => {
    await registry[Symbol.asyncDispose]();
    const others = [upstream, forge, receiver, issuer].map((one) => one[Symbol.asyncDispose]());
    await Promise.all([...others, remote.close(), folder.remove()]);
  };
  try {
    upstream.put('other/library', [
      { version: '1.0.0', zip: archiveFor('other/library'), extra: { description: 'A library of somebody else.' } },
    ]);
    createRepository(folder.at('tool.git'), repositorySteps, { bare: true });
    const settled = await addNotifications(registry, receiver);
    const { publisher, jobToken } = await addPublishers(registry, issuer, packages.project);
    const ids = await fill(registry, packages, upstream.url, { remote, jobToken });
    const connection = await connectForge(registry, forge, packages.project);
    return { registry, ids: { ...ids, publisher, connection, ...(await settled()) }, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** One version that is published, and one that is left out. */
const repositorySteps = [
  { commit: 'main', files: { 'composer.json': JSON.stringify({ name: 'acme/tool', description: 'A tool.' }) } },
  { tag: '1.0.0', at: 'main' },
  { commit: 'broken', from: 'main', files: { 'composer.json': '{"name": "acme/tool",' } },
  { tag: '2.0.0', at: 'broken' },
];

async function fill(
  registry: ManagedRegistry,
  packages: PublishedPackages,
  upstream: string,
  { remote, jobToken }: { readonly remote: GitHttpServer; readonly jobToken: string },
): Promise<Omit<FilledIds, 'connection' | 'publisher' | keyof FilledNotifications>> {
  await publishPackages(registry, packages);
  const token = await createTokens(registry);
  await mirrorPackage(registry, upstream);
  await call(registry, 'PUT', '/api/policy', policy);
  return {
    token,
    ...(await addPeople(registry)),
    ...(await syncRepositories(registry, remote.url)),
    artifact: await upload(registry, jobToken),
    project: await reportProject(registry, packages.project),
  };
}

async function reportProject(registry: ManagedRegistry, name: string): Promise<string> {
  const packages = ['2.4.0', '9.9.9'].map((version) => ({ name: 'acme/billing', version }));
  await call(registry, 'POST', `/api/projects?project=${name}`, { packages });
  const { data } = await call(registry, 'GET', '/api/projects');
  return String((data as readonly Json[])[0]?.['id']);
}

/** It blocks nothing that is published, so that the other pages stay as they are. */
const policy = {
  rules: [
    { rule: 'filter', name: 'malware', action: 'block', lists: ['malware'], message: 'Ask the security team.' },
    { rule: 'age', name: 'young-versions', action: 'log', days: 3, origin: 'mirrored', except: ['other/*', 'acme/*'] },
    { rule: 'abandoned', name: 'abandoned', action: 'warn' },
  ],
  exceptions: [
    {
      rule: 'malware',
      packages: ['acme/billing'],
      versions: '^2.0',
      owner: 'grace@example.org',
      reason: 'The entry of the list is wrong, and its publisher has answered that it goes with the next edition.',
      until: '2026-12-31',
    },
  ],
};

async function publishPackages({ folder, cli }: ManagedRegistry, { first, second }: PublishedPackages): Promise<void> {
  writeTree(folder.at('packages'), first);
  await succeeds(cli('build', 'packages'));
  writeTree(folder.at('packages'), second);
  await succeeds(cli('build', 'packages'), 1);
  await succeeds(cli('package', 'withdraw', 'acme/billing', '2.0.0'));
}

/** Tokens with every limit, without one, and a revoked one. Returns the id of the first. */
async function createTokens(registry: ManagedRegistry): Promise<string> {
  const limits = {
    packages: ['acme/*', 'tools/cli'],
    constraints: { 'acme/billing': '<3.0' },
    stability: 'stable',
    not_after: '2035-01-31',
    networks: ['127.0.0.0/8'],
    rate_limit: 2000,
  };
  const expiry = { expires_at: '2035-12-31T00:00:00.000Z' };
  const limited = {
    description: 'CI of acme/shop, of the team that writes invoices',
    kind: 'read',
    ...limits,
    ...expiry,
  };
  const { id } = await call(registry, 'POST', '/api/tokens', limited);
  await call(registry, 'POST', '/api/tokens', { description: 'Laptops', kind: 'read' });
  const old = await call(registry, 'POST', '/api/tokens', { description: 'The former CI', kind: 'write' });
  await call(registry, 'DELETE', `/api/tokens/${String(old['id'])}`);
  return String(id);
}

interface Offered {
  readonly dist: { readonly url: string };
}

/** Composer reads a package of another registry, and downloads it and one of this registry. */
async function mirrorPackage(registry: ManagedRegistry, upstream: string): Promise<void> {
  await succeeds(registry.cli('settings', 'set', 'mirroring.enabled', 'true'));
  await succeeds(registry.cli('settings', 'set', 'mirroring.url', upstream));
  await succeeds(registry.cli('settings', 'set', 'statistics.by', 'token'));
  await registry.stop('SIGTERM');
  await registry.start();
  const { token } = await call(registry, 'POST', '/api/tokens', { description: 'A client', kind: 'read' });
  for (const name of ['other/library', 'acme/billing']) {
    const { packages } = await call(registry, 'GET', `/p2/${name}.json`, undefined, String(token));
    const [version] = Object.values((packages as Record<string, Record<string, Offered>>)[name] ?? {});
    const archive = await fetch(new URL(version?.dist.url ?? '', registry.url()), {
      headers: { authorization: `Bearer ${String(token)}` },
    });
    if (!archive.ok) throw new Error(`${name}: ${archive.status}`);
    await archive.arrayBuffer();
  }
}

async function addPeople(
  registry: ManagedRegistry,
): Promise<Pick<FilledIds, 'person' | 'team' | 'personsSession' | 'ownSession'>> {
  const person = await invite(registry, { ...people.maintainer, name: 'Grace', role: 'maintainer' });
  await invite(registry, { ...people.viewer, name: 'Joan', role: 'viewer' });
  await call(registry, 'POST', '/api/users', { email: 'invited@example.org', role: 'viewer' });
  // everybody sees everything, as the other pages expect
  const team = { name: 'Everything', packages: ['*'], members: [maintainer.email, people.viewer.email] };
  const { id } = await call(registry, 'POST', '/api/teams', team);
  return {
    person,
    team: String(id),
    personsSession: await logIn(registry, maintainer),
    ownSession: await logIn(registry, admin),
  };
}

/** Returns the id of a person who has accepted the invitation. */
async function invite(
  registry: ManagedRegistry,
  { password, ...user }: Readonly<Record<'email' | 'password' | 'name' | 'role', string>>,
): Promise<string> {
  const { id, invitation } = await call(registry, 'POST', '/api/users', user);
  const { token } = invitation as Json;
  await call(registry, 'POST', '/api/auth/invitations/accept', { token, password });
  return String(id);
}

/** Returns the id of the new session. */
async function logIn(registry: ManagedRegistry, credentials: typeof admin): Promise<string> {
  const { token } = await call(registry, 'POST', '/api/auth/login', credentials);
  const { data } = await call(registry, 'GET', '/api/auth/sessions', undefined, String(token));
  const current = (data as readonly Json[]).find((session) => session['current'] === true);
  return String(current?.['id']);
}

/** A repository that can be read, and one that cannot. */
async function syncRepositories(
  registry: ManagedRegistry,
  url: string,
): Promise<Pick<FilledIds, 'repository' | 'job'>> {
  const found: string[][] = [];
  for (const name of ['tool', 'missing']) {
    const made = await call(registry, 'POST', '/api/repositories', { type: 'git', url: `${url}/${name}.git` });
    const repository = String(made['id']);
    const job = String((await call(registry, 'POST', `/api/repositories/${repository}/sync`))['id']);
    while ((await call(registry, 'GET', `/api/repositories/${repository}/jobs/${job}`))['finished_at'] === null)
      await sleep(100);
    found.push([repository, job]);
  }
  const [[repository = '', job = ''] = []] = found;
  return { repository, job };
}

/** A CI job publishes. Returns the id of the artifact. */
async function upload(registry: ManagedRegistry, jobToken: string): Promise<string> {
  writeTree(
    registry.folder.path,
    below('uploaded', whoLibrary('acme/uploaded', '1.0.0', { description: 'A library that arrived as a ZIP.' })),
  );
  const to = ['--url', registry.url(), '--token', jobToken];
  await succeeds(registry.cli('publish', 'uploaded', ...to));
  const { data } = await call(registry, 'GET', '/api/artifacts');
  return String((data as readonly Json[])[0]?.['id']);
}

/** An owner with a repository in each state. Returns the id of the connection. */
async function connectForge(registry: ManagedRegistry, forge: FakeForge, project: string): Promise<string> {
  const composer = { name: 'acme/connected' };
  const archived = { id: '2', name: 'archived', composer: { name: 'acme/archived' }, archived: false };
  forge.repositories.push({ id: '1', name: project, composer }, archived);
  forge.repositories.push({ id: '3', name: 'website' });
  const { url, token } = forge;
  const draft = { forge: 'github', url, owner: 'acme', credentials: { token } };
  const { id } = await call(registry, 'POST', '/api/connections', draft);
  const path = `/api/connections/${String(id)}`;
  const counted = async (state: string): Promise<unknown> => {
    const { counts } = await call(registry, 'GET', path);
    return (counts as Json)[state];
  };
  // the server would do it too, with its next look at the connections seconds later
  await registry.cli('connection', 'refresh', String(id));
  while ((await counted('registered')) !== 2) await sleep(100);
  archived.archived = true;
  await call(registry, 'POST', `${path}/refresh`);
  await registry.cli('connection', 'refresh', String(id));
  while ((await counted('archived')) !== 1) await sleep(100);
  return String(id);
}

async function call(registry: ManagedRegistry, ...request: Parameters<ManagedRegistry['api']>): Promise<Json> {
  const { status, json } = await registry.api(...request);
  if (status >= 300) throw new Error(`${request[0]} ${request[1]}: ${status} ${JSON.stringify(json)}`);
  return json;
}

/** `exitCode`: 1 for a build that leaves versions out. */
async function succeeds(running: ReturnType<ManagedRegistry['cli']>, exitCode = 0): Promise<void> {
  const ended = await running;
  if (ended.exitCode !== exitCode) throw new Error(`exit code ${ended.exitCode}: ${ended.stderr}${ended.stdout}`);
}
