// The settings in the order and the groups of the page. Pure.

import type { SettingView } from '../../../settings/settings.ts';

export interface SettingGroup {
  readonly title: string;
  readonly settings: readonly SettingView[];
}

const titles: Readonly<Record<string, string>> = {
  mirroring: 'Mirroring',
  limits: 'Request limits',
  sessions: 'Sessions and passwords',
  passwords: 'Sessions and passwords',
  people: 'People',
  retention: 'Retention',
  sync: 'Syncs',
};

/** Settings without a group of their own are about packages.json. */
export function groupsOf(settings: readonly SettingView[]): readonly SettingGroup[] {
  const groups = new Map<string, SettingView[]>();
  for (const setting of settings) {
    const [prefix = ''] = setting.key.split('.', 1);
    const title = Object.hasOwn(titles, prefix) ? (titles[prefix] ?? prefix) : 'What Composer learns';
    groups.set(title, [...(groups.get(title) ?? []), setting]);
  }
  return [...groups].map(([title, members]) => ({ title, settings: members }));
}
