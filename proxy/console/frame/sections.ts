// The entries of the navigation in their groups. Each needs an operation of the policy: people see only what they may
// open, and no group without an entry.

import type { Permission } from '../../auth/permissions.ts';
import type { IconName } from '../components/icon.tsx';

export const groups = ['Packages', 'Access', 'Sources', 'Insight', 'Settings'] as const;
type Group = (typeof groups)[number];

export interface SectionEntry {
  readonly id: string;
  readonly label: string;
  /** undefined: the entry stands before the groups */
  readonly group?: Group;
  /** below /ui */
  readonly path: string;
  readonly icon: IconName;
  readonly operation: Permission;
}

const entry = <const Id extends string>(
  group: Group | undefined,
  id: Id,
  icon: IconName,
  operation: Permission,
  label = `${id.charAt(0).toUpperCase()}${id.slice(1)}`,
) => ({ id, label, path: `/${id}`, icon, operation, ...(group && { group }) }) satisfies SectionEntry;

export const sections = [
  entry(undefined, 'overview', 'gauge', 'getStatus'),
  entry('Packages', 'packages', 'package', 'listPackages', 'All packages'),
  entry('Packages', 'history', 'history', 'listPublications', 'Releases'),
  entry('Access', 'tokens', 'key-round', 'listTokens'),
  entry('Access', 'publishers', 'shield-check', 'listPublishers'),
  entry('Access', 'people', 'users', 'listUsers'),
  entry('Access', 'teams', 'network', 'listTeams'),
  entry('Sources', 'repositories', 'folder-git-2', 'listRepositories'),
  entry('Sources', 'uploads', 'upload', 'listArtifacts'),
  entry('Sources', 'mirror', 'layers', 'getStatus'),
  entry('Insight', 'health', 'heart-pulse', 'getHealth', 'Status'),
  entry('Insight', 'security', 'triangle-alert', 'listExposures'),
  entry('Insight', 'projects', 'folder', 'listProjects'),
  entry('Insight', 'audit', 'scroll-text', 'listAuditEvents'),
  entry('Settings', 'settings', 'settings', 'getSettings', 'All settings'),
  entry('Settings', 'policy', 'shield-alert', 'getPolicy'),
  entry('Settings', 'notifications', 'bell', 'listEndpoints'),
] as const satisfies readonly SectionEntry[];

export type Section = (typeof sections)[number]['id'];
