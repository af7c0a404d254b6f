// Every setting with its value and origin: those that people change here, then those that the server starts with.

import type { Child } from 'hono/jsx';
import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import { settingDefinitions } from '../../../settings/definitions.ts';
import { getSettings, settingViews } from '../../../settings/operations.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { asSentence, MarkedText } from '../../components/marked-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { nameOrigin } from './setting-origin.ts';
import { groupsOf, labelOf, type SettingGroup } from './setting-groups.ts';
import { formatSetting } from './setting-text.ts';
import type { SettingsPageServices } from './settings-services.ts';
import { changedSettings, resetSetting } from './change-setting.tsx';

function registerSettingsList(pages: Pages, services: SettingsPageServices): void {
  pages.page({
    path: '/settings',
    operation: 'getSettings',
    notices: {
      saved: 'The settings are saved, and take effect in every server process.',
      reset: 'The change is removed.',
    },
    show: async (request) => ({
      title: 'Settings',
      section: 'settings',
      content: (
        <SettingsList
          settings={settingViews(await callFor(services, request, getSettings, {}))}
          configuration={services.configuration}
          mayChange={request.may('updateSettings')}
        />
      ),
    }),
  });
}

interface SettingsListProps {
  readonly settings: readonly SettingView[];
  readonly configuration: readonly ConfiguredSetting[];
  /** true: an admin, who also sees paths and addresses of the server */
  readonly mayChange: boolean;
}

function SettingsList({ settings, configuration, mayChange }: SettingsListProps): Child {
  const groups = groupsOf(settings);
  const hasConfiguration = mayChange && configuration.length > 0;
  return (
    <>
      <PageHead title="Settings" sentence="What this registry does, and where each value comes from." />
      <Contents titles={[...groups.map(({ title }) => title), ...(hasConfiguration ? [ofServer] : [])]} />
      {groups.map((group) => (
        <section class="stack-tight" id={anchorOf(group.title)}>
          <div class="row">
            <h2>{group.title}</h2>
            {mayChange ? <ChangeLink {...group} /> : null}
          </div>
          <Table caption={group.title} columns={columnsOf(configuration)} rows={group.settings} isAligned />
        </section>
      ))}
      {hasConfiguration ? <Configuration configuration={configuration} /> : null}
    </>
  );
}

/** The heading of what only a restart changes. */
const ofServer = 'Configuration of the server';

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]+/g, '-');

function Contents({ titles }: { readonly titles: readonly string[] }): Child {
  return (
    <nav class="row small" aria-label="On this page">
      {titles.map((title) => (
        <a href={`#${anchorOf(title)}`}>{title}</a>
      ))}
    </nav>
  );
}

/** The form of the group stands at the address of its first setting. */
function ChangeLink({ title, settings }: SettingGroup): Child {
  const first = settings.find(({ changeable }) => changeable);
  if (first === undefined) return null;
  return (
    <ButtonLink to={`/settings/${first.key}`} kind="small" aria-label={`Change ${title}`}>
      Change
    </ButtonLink>
  );
}

function columnsOf(configuration: readonly ConfiguredSetting[]): readonly Column<SettingView>[] {
  return [
    {
      label: 'Setting',
      cell: ({ key }) => <SettingName label={labelOf(key)} name={key} purpose={settingDefinitions[key].description} />,
    },
    { label: 'Value', cell: ({ key, value }) => <Value text={formatSetting(key, value)} empty="none" /> },
    { label: 'From', cell: (setting) => <ValueOrigin setting={setting} configuration={configuration} /> },
  ];
}

/** `label`: undefined of what only the configuration has. */
function SettingName({
  label,
  name,
  purpose,
}: {
  readonly label?: string;
  readonly name: string;
  readonly purpose: string;
}): Child {
  return (
    <div class="stack-tight">
      {label === undefined ? null : <strong>{label}</strong>}
      <span class="soft small prose">
        <code>{name}</code> <MarkedText text={asSentence(purpose)} />
      </span>
    </div>
  );
}

/** `empty`: stands for no text. */
function Value({ text, empty }: { readonly text: string; readonly empty: string }): Child {
  return text === '' ? <span class="soft">{empty}</span> : <span class="breaks">{text}</span>;
}

interface OriginProps {
  readonly setting: SettingView;
  readonly configuration: readonly ConfiguredSetting[];
}

function ValueOrigin({ setting, configuration }: OriginProps): Child {
  const name = nameOrigin(setting, configuration);
  if (setting.origin === 'api') return <Badge icon="pencil">{name}</Badge>;
  if (setting.changeable) return <OriginText name={name} />;
  return (
    <Badge icon="lock" title="The setting is fixed. Change it there, and restart the server.">
      fixed by {name}
    </Badge>
  );
}

/** The path of a file may be long. */
function OriginText({ name }: { readonly name: string }): Child {
  return <span class={`soft small ${name.includes('/') ? 'breaks' : 'nowrap'}`}>{name}</span>;
}

function Configuration({ configuration }: Pick<SettingsListProps, 'configuration'>): Child {
  const rows = configuration.filter(({ runtimeKey }) => runtimeKey === undefined);
  const columns: readonly Column<ConfiguredSetting>[] = [
    { label: 'Setting', cell: ({ key, purpose }) => <SettingName name={key} purpose={purpose} /> },
    { label: 'Value', cell: ({ value }) => <Value text={value} empty="not set" /> },
    { label: 'From', cell: ({ origin }) => <OriginText name={origin} /> },
  ];
  return (
    <section class="stack-tight" id={anchorOf(ofServer)}>
      <h2>{ofServer}</h2>
      <p class="soft prose">
        The server reads these when it starts. Change them in libretto.json, as a flag or as an environment variable,
        and restart it.
      </p>
      <Table caption={ofServer} columns={columns} rows={rows} isAligned />
    </section>
  );
}

/** The pages about settings: the list, and the forms of one. */
export function registerSettingsPages(pages: Pages, services: SettingsPageServices): void {
  registerSettingsList(pages, services);
  for (const form of [changedSettings, resetSetting]) pages.form(form(services));
}
