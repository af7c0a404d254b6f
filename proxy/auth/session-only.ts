// The permissions that need a session, also for people whose role has them. A token of `libretto login` lies in a file
// for weeks. It must not reach what the console asks the password for, and nothing that outlives the token.

import type { Permission } from './permissions.ts';

export const sessionOnly: ReadonlySet<Permission> = new Set<Permission>([
  // sessions and second factors
  'approveTerminal',
  'logout',
  'listSessions',
  'endSession',
  'changePassword',
  'setUpTwoFactor',
  'enableTwoFactor',
  'disableTwoFactor',
  'renewRecoveryCodes',
  'listPasskeys',
  'renamePasskey',
  'removePasskey',
  // people
  'createUser',
  'updateUser',
  'deleteUser',
  'createTeam',
  'updateTeam',
  'deleteTeam',
  'addTeamMembers',
  'removeTeamMember',
  // other tokens, and who may publish without one
  'createToken',
  'updateToken',
  'rotateToken',
  'revokeToken',
  'createPublisher',
  'updatePublisher',
  'deletePublisher',
  // secrets, and addresses that get what the registry knows
  'issueRepositoryHook',
  'removeRepositoryHook',
  'issueRegistryHook',
  'removeRegistryHook',
  'createConnection',
  'updateConnection',
  'deleteConnection',
  'createEndpoint',
  'updateEndpoint',
  'deleteEndpoint',
  'rotateEndpointSecret',
  // what clients get
  'updateRepository',
  'deleteRepository',
  'withdrawVersion',
  'purgeVersion',
  'restoreVersion',
  'rollBack',
  'deleteArtifact',
  'cleanUpArtifacts',
  'updateSettings',
  'replacePolicy',
  'acceptPolicyFeed',
]);
