// The permission table of the management API and the console. An operation without a row cannot be registered, and
// every permission check reads this table. Roles: an admin may call every operation. A maintainer manages repositories,
// packages, artifacts and the tokens they made themselves. A viewer reads. A right adds operations to the role of one
// person. API tokens: both kinds read. A write token also publishes artifacts and starts a sync. API tokens cannot
// manage people or tokens.

import type { PersonRight, Role } from '../core/tokens/person.ts';
import type { TokenKind } from '../core/tokens/token-format.ts';

/** The kind of caller: `nobody` (no credentials), a person by role, or an API token by kind. */
export type CallerClass = 'nobody' | Role | `${TokenKind} token`;

/** Who has an operation. */
type Allowed = CallerClass | PersonRight;

export const roles: readonly Role[] = ['admin', 'maintainer', 'viewer'];

const everyone: readonly CallerClass[] = ['nobody', 'admin', 'maintainer', 'viewer', 'read token', 'write token'];
const people: readonly CallerClass[] = ['admin', 'maintainer', 'viewer'];
const readers: readonly CallerClass[] = ['admin', 'maintainer', 'viewer', 'read token', 'write token'];
const publishers: readonly CallerClass[] = ['admin', 'maintainer', 'write token'];
const maintainers: readonly CallerClass[] = ['admin', 'maintainer'];
const admins: readonly CallerClass[] = ['admin'];
const policyReaders: readonly Allowed[] = [...maintainers, 'policy editor'];
const policyEditors: readonly Allowed[] = ['admin', 'policy editor'];

export const apiPermissions = {
  getOpenApi: everyone,
  getExplorer: everyone,
  getExplorerFile: everyone,

  setup: everyone,
  login: everyone,
  acceptInvitation: everyone,
  logout: people,
  getMe: people,
  updateMe: people,
  changePassword: people,
  setUpTwoFactor: people,
  enableTwoFactor: people,
  disableTwoFactor: people,
  renewRecoveryCodes: people,
  requestDeviceCode: everyone,
  redeemDeviceCode: everyone,
  listOwnTokens: people,
  endOwnToken: people,
  listPasskeys: people,
  renamePasskey: people,
  removePasskey: people,
  listSessions: people,
  endSession: people,

  listUsers: admins,
  createUser: admins,
  getUser: admins,
  updateUser: admins,
  deleteUser: admins,

  // a team decides what its members see
  listTeams: admins,
  createTeam: admins,
  getTeam: admins,
  updateTeam: admins,
  deleteTeam: admins,
  addTeamMembers: admins,
  removeTeamMember: admins,

  listRepositories: readers,
  getRepository: readers,
  createRepository: maintainers,
  updateRepository: maintainers,
  deleteRepository: maintainers,
  verifyRepository: maintainers,
  syncRepository: publishers,
  listJobs: readers,
  getJob: readers,

  getRepositoryHook: maintainers,
  issueRepositoryHook: maintainers,
  removeRepositoryHook: maintainers,
  replayRepositoryDelivery: maintainers,
  getRegistryHook: maintainers,
  issueRegistryHook: maintainers,
  removeRegistryHook: maintainers,
  replayRegistryDelivery: maintainers,

  listConnections: maintainers,
  createConnection: maintainers,
  planConnection: maintainers,
  getConnection: maintainers,
  updateConnection: maintainers,
  deleteConnection: maintainers,
  refreshConnection: maintainers,
  listConnectedRepositories: maintainers,

  // an endpoint without a view is notified of everything, also of tokens and of the audit log
  listEndpoints: admins,
  createEndpoint: admins,
  getEndpoint: admins,
  updateEndpoint: admins,
  deleteEndpoint: admins,
  rotateEndpointSecret: admins,
  testEndpoint: admins,
  listNotificationDeliveries: admins,
  replayNotifications: admins,

  // a publisher lets whole repositories of a forge publish
  listPublishers: admins,
  createPublisher: admins,
  getPublisher: admins,
  updatePublisher: admins,
  deletePublisher: admins,
  explainIdToken: admins,
  getOidcAudience: everyone,
  exchangeIdToken: everyone,
  // only with the token itself, and only one that an exchange gave
  endOidcToken: ['read token', 'write token'],

  // a maintainer: only their own tokens; the service checks `created_by`
  listTokens: maintainers,
  createToken: maintainers,
  getToken: maintainers,
  updateToken: maintainers,
  revokeToken: maintainers,
  rotateToken: maintainers,
  explainToken: maintainers,

  listPackages: readers,
  getPackage: readers,
  getReadme: readers,
  getChangelog: readers,
  getStatistics: readers,
  withdrawVersion: maintainers,
  purgeVersion: admins,
  listPurgedVersions: admins,

  getSettings: people,
  updateSettings: admins,

  getPolicy: people,
  replacePolicy: policyEditors,
  checkPolicy: policyReaders,
  testPolicy: policyReaders,
  explainPolicy: policyReaders,
  listPolicyHits: policyReaders,
  listPolicyFeeds: policyReaders,
  acceptPolicyFeed: policyEditors,

  listArtifacts: readers,
  getArtifact: readers,
  createArtifact: publishers,
  deleteArtifact: maintainers,
  cleanUpArtifacts: maintainers,

  listAuditEvents: admins,
  getStatus: readers,
} as const satisfies Record<string, readonly Allowed[]>;

export type OperationId = keyof typeof apiPermissions;

/** What people do in the console and the API has no operation for. API tokens cannot use the console. */
export const consolePermissions = {
  approveTerminal: people,
  listPublications: people,
  explainVersion: people,
  compareVersions: people,
  listMirrored: people,
  previewImpact: maintainers,
  restoreVersion: maintainers,
  getHealth: maintainers,
  rollBack: admins,
} as const satisfies Record<string, readonly CallerClass[]>;

/** Anything that a caller must be allowed to do. */
export type Permission = OperationId | keyof typeof consolePermissions;

const permissions: Readonly<Record<Permission, readonly Allowed[]>> = { ...apiPermissions, ...consolePermissions };

/**
 * The operations that a limited token may use in addition to the public ones: they respect views. All others describe
 * the whole registry.
 */
const throughViews: ReadonlySet<Permission> = new Set([
  'listPackages',
  'getPackage',
  'getReadme',
  'getChangelog',
  'getStatistics',
  'createArtifact',
  'endOidcToken',
  'getMe',
  'updateMe',
  'listOwnTokens',
  'endOwnToken',
]);

/**
 * The operations that people with a view may use in addition to the public ones: those on their own account, and those
 * that respect views. A person has a view who sees only the packages of teams.
 */
const throughTeams: ReadonlySet<Permission> = new Set([
  'logout',
  'getMe',
  'updateMe',
  'changePassword',
  'setUpTwoFactor',
  'enableTwoFactor',
  'disableTwoFactor',
  'renewRecoveryCodes',
  'listSessions',
  'endSession',
  'listPackages',
  'getPackage',
  'getReadme',
  'getChangelog',
  'getStatistics',
  'compareVersions',
  'listPasskeys',
  'renamePasskey',
  'removePasskey',
  'approveTerminal',
  'listOwnTokens',
  'endOwnToken',
]);

/**
 * `authenticate`: the caller is anonymous, and a credential might help. `refused`: the operation is forbidden for
 * this caller. `limited`: the caller has a view. `rights`: of a person, beside the role.
 */
export function decidePermission(
  operation: Permission,
  caller: CallerClass,
  limited = false,
  rights: readonly PersonRight[] = [],
): 'allowed' | 'authenticate' | 'refused' {
  const allowed = permissions[operation];
  const respectsViews = people.includes(caller) ? throughTeams : throughViews;
  if (limited && !allowed.includes('nobody') && !respectsViews.has(operation)) return 'refused';
  if (allowed.includes(caller) || rights.some((right) => allowed.includes(right))) return 'allowed';
  return caller === 'nobody' ? 'authenticate' : 'refused';
}
