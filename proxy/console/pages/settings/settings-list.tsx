// Every setting with its value and origin: those that people change here, then those that the server starts with.

import type { Child } from 'hono/jsx';
import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import { groupsOf, labelOf, settingPage } from '../../../settings/setting-groups.ts';
import { getSettings, settingViews } from '../../../settings/operations.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { asSentence, MarkedText } from '../../components/marked-text.tsx';
import { PageHead } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { callFor } from '../../frame/operation-form.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { formatSetting, nameOrigin } from './setting-text.ts';
import { changedSettings, type SettingsPageServices } from './change-setting.tsx';

/** The pages about settings: the list, and the form of each group. */
export function registerSettingsPages(pages: Pages, services: SettingsPageServices): void {
  pages.page({
    path: '/settings',
    operation: 'getSettings',
    notices: { saved: 'The settings are saved, and take effect in every server process.' },
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
  pages.form(changedSettings(services));
  // an address of older versions
  const show = ({ param }: SignedInRequest) => ({ to: settingPage(param('key')) });
  pages.page({ path: '/settings/:key/reset', operation: 'updateSettings', show });
}

interface SettingsListProps {
  readonly settings: readonly SettingView[];
  readonly configuration: readonly ConfiguredSetting[];
  /** true: an admin, who also sees paths and addresses of the server */
  readonly mayChange: boolean;
}

function SettingsList({ settings, configuration, mayChange }: SettingsListProps): Child {
  const columns = columnsOf(configuration);
  const changed = settings.filter(({ origin }) => origin === 'api');
  return (
    <>
      <PageHead title="Settings" sentence="What this registry does, and where each value comes from." />
      {changed.length === 0 ? null : (
        <section class="stack-tight">
          <h2>Changed here</h2>
          <Table caption="Changed here" columns={columns} rows={changed} isAligned />
        </section>
      )}
      {groupsOf(settings).map(({ title, path, settings: own }) => (
        <details>
          <summary>{title}</summary>
          {mayChange && own.some(({ changeable }) => changeable) ? (
            <ButtonLink to={path} kind="small" aria-label={`Change ${title}`} label="Change" />
          ) : null}
          <Table caption={title} columns={columns} rows={own} isAligned />
        </details>
      ))}
      {mayChange && configuration.length > 0 ? <Configuration configuration={configuration} /> : null}
    </>
  );
}

const emptyMeansAll: ReadonlySet<string> = new Set(['mirroring.allow', 'mirroring.licenses']);

function columnsOf(configuration: readonly ConfiguredSetting[]): readonly Column<SettingView>[] {
  return [
    {
      label: 'Setting',
      cell: ({ key }) => (
        <div class="stack-tight">
          <strong>{labelOf(key)}</strong>
          <code class="soft small">{key}</code>
        </div>
      ),
    },
    {
      label: 'Value',
      cell: ({ key, value }) => (
        <Value text={formatSetting(key, value)} empty={emptyMeansAll.has(key) ? 'all' : 'none'} />
      ),
    },
    { label: 'From', cell: (setting) => <ValueOrigin setting={setting} configuration={configuration} /> },
  ];
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
  if (setting.origin === 'api') return <Badge icon="pencil" label={name} />;
  if (setting.changeable) return <OriginText name={name} />;
  return (
    <Badge
      icon="lock"
      title="The setting is fixed. Change it there, and restart the server."
      label={`fixed by ${name}`}
    />
  );
}

/** The path of a file may be long. */
function OriginText({ name }: { readonly name: string }): Child {
  return <span class={`soft small ${name.includes('/') ? 'breaks' : 'nowrap'}`}>{name}</span>;
}

/** What only a restart changes. */
function Configuration({ configuration }: Pick<SettingsListProps, 'configuration'>): Child {
  const rows = configuration.filter(({ runtimeKey }) => runtimeKey === undefined);
  const columns: readonly Column<ConfiguredSetting>[] = [
    {
      label: 'Setting',
      cell: ({ key, purpose }) => (
        <div class="stack-tight">
          <code>{key}</code>
          <span class="soft small prose">
            <MarkedText text={asSentence(purpose)} />
          </span>
        </div>
      ),
    },
    { label: 'Value', cell: ({ value }) => <Value text={value} empty="not set" /> },
    { label: 'From', cell: ({ origin }) => <OriginText name={origin} /> },
  ];
  return (
    <details>
      <summary>Configuration of the server</summary>
      <p class="soft prose">
        The server reads these when it starts. Change them in libretto.json, as a flag or as an environment variable,
        and restart it.
      </p>
      <Table caption="Configuration of the server" columns={columns} rows={rows} isAligned />
    </details>
  );
}
