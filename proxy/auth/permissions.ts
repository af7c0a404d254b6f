// The permission table of the management API and the console: a row for each operation, with everything that decides
// who may do it. An operation without a row cannot be registered, and every permission check reads this table.
// Roles: an admin may call every operation. A maintainer manages repositories, packages, artifacts and the tokens they
// made themselves. A viewer reads. A right adds operations to the role of one person. API tokens: both kinds read. A
// write token also publishes artifacts and starts a sync. API tokens cannot manage people or tokens.

import { RegistryError } from '../../build/contract/errors.ts';
import type { PersonRight, Role } from '../core/tokens/person.ts';
import type { TokenKind } from '../core/tokens/token-format.ts';

/** The kind of caller: `nobody` (no credentials), a person by role, or an API token by kind. */
export type CallerClass = 'nobody' | Role | `${TokenKind} token`;

/** Who has an operation. */
type Allowed = CallerClass | PersonRight;

/** What an operation needs beside a caller of its row, and what it respects. What a row does not name is closed. */
export type OperationCondition =
  /**
   * A session, also for people whose role has the operation. A token of `libretto login` lies in a file for weeks. It
   * must not reach what the console asks the password for, and nothing that outlives the token.
   */
  | 'session'
  /** the person's password once more, if it was entered more than five minutes ago */
  | 'password'
  /** over the API, where nothing is confirmed: a session that began in the last five minutes */
  | 'recent'
  /** A builder on the same host. A server whose tree is at an origin has none: another host builds and uploads. */
  | 'builder'
  /** A limited token may use it, because it respects views. All others describe the whole registry. */
  | 'token views'
  /** A person who sees only the packages of teams may use it: it respects views, or concerns their own account. */
  | 'team views';

type Row = readonly [callers: readonly Allowed[], ...conditions: readonly OperationCondition[]];

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
  getOpenApi: [everyone],
  getExplorer: [everyone],
  getExplorerFile: [everyone],
  setup: [everyone],
  login: [everyone],
  acceptInvitation: [everyone],
  logout: [people, 'session', 'team views'],
  getMe: [people, 'token views', 'team views'],
  updateMe: [people, 'token views', 'team views'],
  changePassword: [people, 'session', 'team views'],
  setUpTwoFactor: [people, 'session', 'team views'],
  enableTwoFactor: [people, 'session', 'team views'],
  disableTwoFactor: [people, 'session', 'team views'],
  renewRecoveryCodes: [people, 'session', 'team views'],
  requestDeviceCode: [everyone],
  redeemDeviceCode: [everyone],
  listOwnTokens: [people, 'token views', 'team views'],
  endOwnToken: [people, 'token views', 'team views'],
  listPasskeys: [people, 'session', 'team views'],
  renamePasskey: [people, 'session', 'password', 'team views'],
  removePasskey: [people, 'session', 'password', 'team views'],
  listSessions: [people, 'session', 'team views'],
  endSession: [people, 'session', 'team views'],

  listUsers: [admins],
  createUser: [admins, 'session', 'password', 'recent'],
  getUser: [admins],
  updateUser: [admins, 'session', 'password', 'recent'],
  deleteUser: [admins, 'session', 'password'],

  // a team decides what its members see
  listTeams: [admins],
  createTeam: [admins, 'session', 'password'],
  getTeam: [admins],
  updateTeam: [admins, 'session', 'password'],
  deleteTeam: [admins, 'session', 'password'],
  addTeamMembers: [admins, 'session', 'password'],
  removeTeamMember: [admins, 'session'],

  listRepositories: [readers],
  getRepository: [readers],
  createRepository: [maintainers, 'builder'],
  updateRepository: [maintainers, 'session', 'password', 'builder'],
  deleteRepository: [maintainers, 'session', 'password', 'builder'],
  verifyRepository: [maintainers, 'builder'],
  syncRepository: [publishers, 'builder'],
  listJobs: [readers],
  getJob: [readers],
  getRepositoryHook: [maintainers],
  issueRepositoryHook: [maintainers, 'session', 'password'],
  removeRepositoryHook: [maintainers, 'session', 'password'],
  replayRepositoryDelivery: [maintainers],
  getRegistryHook: [maintainers],
  issueRegistryHook: [maintainers, 'session', 'password'],
  removeRegistryHook: [maintainers, 'session', 'password'],
  replayRegistryDelivery: [maintainers],

  listConnections: [maintainers],
  createConnection: [maintainers, 'session', 'password', 'builder'],
  planConnection: [maintainers, 'builder'],
  getConnection: [maintainers],
  updateConnection: [maintainers, 'session', 'password', 'builder'],
  deleteConnection: [maintainers, 'session', 'password', 'builder'],
  refreshConnection: [maintainers, 'builder'],
  listConnectedRepositories: [maintainers],

  // an endpoint without a view is notified of everything, also of tokens and of the audit log
  listEndpoints: [admins],
  createEndpoint: [admins, 'session', 'password'],
  getEndpoint: [admins],
  updateEndpoint: [admins, 'session', 'password'],
  deleteEndpoint: [admins, 'session', 'password'],
  rotateEndpointSecret: [admins, 'session', 'password'],
  testEndpoint: [admins],
  listNotificationDeliveries: [admins],
  replayNotifications: [admins],

  // a publisher lets whole repositories of a forge publish
  listPublishers: [admins],
  createPublisher: [admins, 'session', 'password'],
  getPublisher: [admins],
  updatePublisher: [admins, 'session', 'password'],
  deletePublisher: [admins, 'session', 'password'],
  explainIdToken: [admins],
  getOidcAudience: [everyone],
  exchangeIdToken: [everyone],
  // only with the token itself, and only one that an exchange gave
  endOidcToken: [['read token', 'write token'], 'token views'],

  // a maintainer: only their own tokens; the service checks `created_by`
  listTokens: [maintainers],
  createToken: [maintainers, 'session', 'password'],
  getToken: [maintainers],
  updateToken: [maintainers, 'session', 'password'],
  revokeToken: [maintainers, 'session', 'password'],
  rotateToken: [maintainers, 'session', 'password'],
  explainToken: [maintainers],

  listPackages: [readers, 'token views', 'team views'],
  // of tokens, people and settings only those who may list them
  searchRegistry: [readers, 'token views', 'team views'],
  getPackage: [readers, 'token views', 'team views'],
  getReadme: [readers, 'token views', 'team views'],
  getChangelog: [readers, 'token views', 'team views'],
  getStatistics: [readers, 'token views', 'team views'],
  // a maintainer: only the names of their own tokens and projects; the service checks `created_by`
  getUsage: [maintainers, 'team views'],
  listProjects: [maintainers, 'team views'],
  getProject: [maintainers, 'team views'],
  // mails reach owners whose names a maintainer does not learn
  tellUsers: [maintainers, 'session', 'password', 'team views'],
  listExposures: [maintainers, 'team views'],
  // as an install report does, which Composer sends with a read token
  reportProject: [readers, 'token views', 'team views'],
  withdrawVersion: [maintainers, 'session', 'password', 'builder'],
  purgeVersion: [admins, 'session', 'builder'],
  listPurgedVersions: [admins],

  getSettings: [people],
  updateSettings: [admins, 'session', 'password', 'recent'],

  getPolicy: [people],
  replacePolicy: [policyEditors, 'session', 'password', 'recent'],
  checkPolicy: [policyReaders],
  testPolicy: [policyReaders],
  explainPolicy: [policyReaders],
  listPolicyHits: [policyReaders],
  listHeldReleases: [policyReaders],
  decideHeldRelease: [policyEditors, 'session', 'password', 'recent'],
  listPolicyFeeds: [policyReaders],
  acceptPolicyFeed: [policyEditors, 'session', 'password'],

  listArtifacts: [readers],
  getArtifact: [readers, 'token views'],
  createArtifact: [publishers, 'builder', 'token views'],
  deleteArtifact: [maintainers, 'session', 'password', 'builder'],
  cleanUpArtifacts: [maintainers, 'session', 'password', 'builder'],
  listAuditEvents: [admins],
  getStatus: [readers],
} as const satisfies Record<string, Row>;
export type OperationId = keyof typeof apiPermissions;
/** What people do in the console and the API has no operation for. API tokens cannot use the console. */
export const consolePermissions = {
  approveTerminal: [people, 'session', 'password', 'team views'],
  listPublications: [people],
  explainVersion: [people],
  compareVersions: [people, 'team views'],
  listMirrored: [people],
  previewImpact: [maintainers],
  restoreVersion: [maintainers, 'session', 'password', 'builder'],
  getHealth: [maintainers],
  rollBack: [admins, 'session', 'password', 'builder'],
} as const satisfies Record<string, Row>;

/** Anything that a caller must be allowed to do. */
export type Permission = OperationId | keyof typeof consolePermissions;

/** Every row. A test adds rows for operations of its own. */
export const permissions: Readonly<Partial<Record<Permission, Row>>> = { ...apiPermissions, ...consolePermissions };

function rowOf(operation: Permission): Row {
  const row = permissions[operation];
  if (row === undefined) throw new Error(`The operation ${operation} has no row in the table of permissions.`);
  return row;
}

/** Who has the operation, by class or right. */
export function callersOf(operation: Permission): readonly Allowed[] {
  return rowOf(operation)[0];
}

export function hasCondition(operation: Permission, condition: OperationCondition): boolean {
  const [, ...conditions] = rowOf(operation);
  return conditions.includes(condition);
}

/** Throws NOT_AVAILABLE, before anything of the body is read. */
export function assertWithoutBuilder(operation: Permission): void {
  if (hasCondition(operation, 'builder'))
    throw new RegistryError('NOT_AVAILABLE', {
      message:
        'This server serves a tree from another host (setting origin), so it cannot change published versions. ' +
        'Repeat the request on the building host.',
    });
}

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
  const allowed = callersOf(operation);
  const views = people.includes(caller) ? 'team views' : 'token views';
  if (limited && !allowed.includes('nobody') && !hasCondition(operation, views)) return 'refused';
  if (allowed.includes(caller) || rights.some((right) => allowed.includes(right))) return 'allowed';
  return caller === 'nobody' ? 'authenticate' : 'refused';
}
