// The groups of settings, each with a page of the console, and what people call each setting.

import { settingDefinitions, type SettingKey } from './definitions.ts';
import type { SettingView } from './settings.ts';

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
    'publishing.staged': 'Tokens and publishers whose uploads wait for a person',
    'publishing.four_eyes': 'Two people for each release that waits',
  },
};

/** Settings whose label says as much as their description. */
const saidByLabel: ReadonlySet<SettingKey> = new Set([
  'mirroring.enabled',
  'mirroring.url',
  'mirroring.license_rule',
  'mirroring.abandoned',
  'mirroring.fresh',
  'mirroring.missing',
  'warnings',
  'infos',
  'passwords.min_length',
  'retention.jobs',
]);

export interface SettingGroup {
  readonly title: string;
  /** its page, below /ui: `/settings/request-limits` */
  readonly path: string;
  readonly settings: readonly SettingView[];
}

export function labelOf(key: SettingKey): string {
  return Object.values(groups).find((group) => group[key] !== undefined)?.[key] ?? key;
}

/** What the label does not say; may be empty. */
export function purposeOf(key: SettingKey): string {
  return saidByLabel.has(key) ? '' : settingDefinitions[key].description.replace(/[;.] takes effect at once$/i, '');
}

/** The field of a group's form that takes the change of a setting back. */
export const resetField = (key: string): string => `reset.${key}`;

/** The page of the group with this setting, below /ui. */
export function settingPage(key: string): string {
  const [title = ''] = Object.entries(groups).find(([, labels]) => key in labels) ?? [];
  return pathOf(title);
}

function pathOf(title: string): string {
  return `/settings/${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
}

/** Each setting is in one. */
export function groupsOf(settings: readonly SettingView[]): readonly SettingGroup[] {
  return Object.entries(groups).map(([title, labels]) => ({
    title,
    path: pathOf(title),
    settings: settings.filter(({ key }) => labels[key] !== undefined),
  }));
}
