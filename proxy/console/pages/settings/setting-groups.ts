// The groups of settings on their page, with what people call each setting.

import type { SettingKey } from '../../../settings/definitions.ts';
import type { SettingView } from '../../../settings/settings.ts';

/** Title → keys with their labels, in the order of the page. */
const groups: Readonly<Record<string, Partial<Record<SettingKey, string>>>> = {
  'Name and colour': { 'branding.name': 'Name of the registry', 'branding.color': 'Colour' },
  Mirroring: {
    'mirroring.enabled': 'Mirror a public registry',
    'mirroring.url': 'Address of the public registry',
    'mirroring.allow': 'Packages to mirror',
    'mirroring.deny': 'Packages not to mirror',
    'mirroring.reserved': 'Reserved names',
    'mirroring.shared_vendors': 'Vendors with private and public packages',
    'mirroring.minimum_age': 'Minimum age of a release, in seconds',
    'mirroring.licenses': 'Allowed licences',
    'mirroring.license_rule': 'Versions with other licences',
    'mirroring.abandoned': 'Abandoned packages',
    'mirroring.fresh': 'Time until a document is requested again, in seconds',
    'mirroring.missing': 'Time that a 404 is remembered, in seconds',
  },
  'What Composer learns': {
    metadata_url: 'Addresses of package documents',
    advertise: 'Optional endpoints',
    warnings: 'Warnings that Composer prints',
    infos: 'Information that Composer prints',
    dist_url: 'Addresses of archives',
  },
  'Request limits': {
    'limits.read': 'Requests per hour of a read token',
    'limits.write': 'Requests per hour of a write token',
  },
  'People and sessions': {
    'sessions.lifetime': 'Lifetime of a session, in seconds',
    'passwords.min_length': 'Minimum length of a password',
    'people.packages': 'Packages of people who are in no team',
  },
  'Counts and what is kept': {
    'statistics.by': 'Downloads are counted by',
    'retention.statistics_days': 'Days that counts are kept',
    'retention.artifacts_days': 'Days that withdrawn ZIPs are kept',
    'retention.jobs': 'Jobs kept of each repository',
  },
  'Syncs and uploads': {
    'sync.parallel': 'Repositories that a server syncs at once',
    'publishing.keyless_only': 'Packages that only CI jobs upload',
  },
};

export interface SettingGroup {
  readonly title: string;
  /** those that were changed here first */
  readonly settings: readonly SettingView[];
}

export function labelOf(key: SettingKey): string {
  return Object.values(groups).find((group) => group[key] !== undefined)?.[key] ?? key;
}

/** Groups with a change first. Each setting is in one. */
export function groupsOf(settings: readonly SettingView[]): readonly SettingGroup[] {
  const isChanged = ({ origin }: SettingView): boolean => origin === 'api';
  const all = Object.entries(groups).map(([title, labels]) => ({
    title,
    settings: changedFirst(
      settings.filter(({ key }) => labels[key] !== undefined),
      isChanged,
    ),
  }));
  return changedFirst(all, (group) => group.settings.some(isChanged));
}

function changedFirst<One>(all: readonly One[], isChanged: (one: One) => boolean): readonly One[] {
  return [...all.filter(isChanged), ...all.filter((one) => !isChanged(one))];
}
