// The entries of the navigation, in their order. Each needs an operation of the policy: people see only what they may
// open.

import type { Permission } from '../../auth/permissions.ts';
import type { IconName } from '../components/icon.tsx';

export interface SectionEntry {
  readonly id: string;
  readonly label: string;
  /** below /ui */
  readonly path: string;
  readonly icon: IconName;
  readonly operation: Permission;
}

export const sections = [
  { id: 'overview', label: 'Overview', path: '/overview', icon: 'gauge', operation: 'getStatus' },
  { id: 'packages', label: 'Packages', path: '/packages', icon: 'package', operation: 'listPackages' },
  { id: 'tokens', label: 'Tokens', path: '/tokens', icon: 'key-round', operation: 'listTokens' },
  {
    id: 'publishers',
    label: 'Publishers',
    path: '/publishers',
    icon: 'shield-check',
    operation: 'listPublishers',
  },
  {
    id: 'repositories',
    label: 'Repositories',
    path: '/repositories',
    icon: 'folder-git-2',
    operation: 'listRepositories',
  },
  { id: 'uploads', label: 'Uploads', path: '/uploads', icon: 'upload', operation: 'listArtifacts' },
  { id: 'history', label: 'History', path: '/history', icon: 'history', operation: 'listPublications' },
  { id: 'security', label: 'Security', path: '/security', icon: 'triangle-alert', operation: 'listExposures' },
  { id: 'policy', label: 'Policy', path: '/policy', icon: 'shield-alert', operation: 'getPolicy' },
  { id: 'mirror', label: 'Mirror', path: '/mirror', icon: 'layers', operation: 'getStatus' },
  {
    id: 'notifications',
    label: 'Notifications',
    path: '/notifications',
    icon: 'bell',
    operation: 'listEndpoints',
  },
  { id: 'people', label: 'People', path: '/people', icon: 'users', operation: 'listUsers' },
  { id: 'teams', label: 'Teams', path: '/teams', icon: 'network', operation: 'listTeams' },
  { id: 'audit', label: 'Audit', path: '/audit', icon: 'scroll-text', operation: 'listAuditEvents' },
  { id: 'settings', label: 'Settings', path: '/settings', icon: 'settings', operation: 'getSettings' },
  { id: 'health', label: 'Health', path: '/health', icon: 'heart-pulse', operation: 'getHealth' },
] as const satisfies readonly SectionEntry[];

export type Section = (typeof sections)[number]['id'];
