// The fields of a connection that can be changed later: credentials, selection, webhooks and intervals.

import { type Child, useContext } from 'hono/jsx';
import type { ConnectionDocument, ConnectionPatch, GivenCredentials } from '../../../forges/connection-schema.ts';
import type { ForgeName } from '../../../forges/model/forge-name.ts';
import { defaultFields } from '../../../forges/parse-connection.ts';
import { CheckField, FormContext, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { fieldFault, FormFields, type FormState } from '../../request/form-fields.ts';
import { intervalWords } from '../repositories/repository-words.tsx';

export const connectionFieldOf = { credentials: 'token' };

/** Secrets never come back to the browser. */
export function withoutCredentials(state: FormState): FormState {
  return { ...state, fields: state.fields.without(['token', 'key']) };
}

/** What the form says, without credentials. */
export function connectionSelectionOf(fields: FormFields): Required<Omit<ConnectionPatch, 'credentials'>> {
  const span = (name: 'interval' | 'sync_interval'): number => Number(fields.optional(name) ?? defaultFields[name]);
  const folders = fields.lines('subdirectories');
  return {
    only: fields.lines('only'),
    except: fields.lines('except'),
    forks: fields.checked('forks'),
    hooks: fields.checked('hooks'),
    subdirectories: folders.length === 0 ? null : folders,
    interval: span('interval'),
    sync_interval: span('sync_interval'),
  };
}

/** The form of a stored connection. */
export function valuesOfConnection(connection: ConnectionDocument): Readonly<Record<string, string>> {
  const { only, except, forks, hooks, subdirectories, interval, sync_interval } = connection;
  return {
    only: only.join('\n'),
    except: except.join('\n'),
    subdirectories: (subdirectories ?? []).join('\n'),
    ...(forks && { forks: 'on' }),
    ...(hooks && { hooks: 'on' }),
    interval: String(interval),
    sync_interval: String(sync_interval),
  };
}

/** The fields that the form changes; undefined: none. */
export function connectionChanges(connection: ConnectionDocument, fields: FormFields): ConnectionPatch | undefined {
  const stored = new FormFields(new URLSearchParams(valuesOfConnection(connection)));
  const before = Object.entries(connectionSelectionOf(stored));
  const now = connectionSelectionOf(fields) as Readonly<Record<string, unknown>>;
  const changed = before.flatMap(([name, value]) =>
    JSON.stringify(now[name]) === JSON.stringify(value) ? [] : [[name, now[name]] as const],
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

export function connectionCredentialsOf(fields: FormFields, forge: ForgeName): GivenCredentials {
  const [token, appId] = [fields.text('token'), fields.optional('app')];
  if (forge === 'github' && appId !== undefined)
    return { app_id: appId, private_key: fields.secret('key').replaceAll('\r\n', '\n') };
  if (token === '') throw fieldFault('token', 'Enter a token.');
  const user = forge === 'bitbucket' ? fields.optional('user') : undefined;
  return { token, ...(user === undefined ? {} : { user }) };
}

/** `forge`: the fields of the others are absent; undefined: the form asks for the forge, and its style hides them. */
export function ConnectionCredentialFields({ forge }: { readonly forge?: ForgeName }): Child {
  return (
    <>
      <TextField
        name="token"
        label="Token"
        type="password"
        autocomplete="off"
        hint="It reads the list and the repositories. The documentation names its permissions for each forge."
      />
      {forge === undefined || forge === 'bitbucket' ? (
        <div data-for="bitbucket">
          <TextField name="user" label="User" hint="For an API token: the e-mail address of its user." />
        </div>
      ) : null}
      {forge === undefined || forge === 'github' ? (
        <div class="stack" data-for="github">
          <TextField name="app" label="Id of a GitHub App" hint="Instead of a token, with its private key." />
          <TextArea name="key" label="Private key of the App" hint="The content of the .pem file." rows={4} />
        </div>
      ) : null}
    </>
  );
}

export function ConnectionSelectionFields(): Child {
  return (
    <>
      <TextArea
        name="only"
        label="Only these names"
        hint="One pattern a line, without the owner, such as php-*. Empty: all."
        rows={2}
      />
      <TextArea name="except" label="Not these names" hint="One pattern a line." rows={2} />
      <TextArea name="subdirectories" label="Subfolders" hint="Folders that are packages: packages/*" rows={2} />
      <CheckField name="forks" label="Register forks too" hint="They often have the package name of their origin." />
      <CheckField
        name="hooks"
        label="Install webhooks at the forge"
        hint="A pushed tag is then published within seconds. The credentials need the permission to manage webhooks."
      />
      <SpanField name="interval" label="Look for changes" hint="New, renamed, archived and removed repositories." />
      <SpanField name="sync_interval" label="Sync each new repository" hint="Also where no webhook announced a push." />
    </>
  );
}

const spans = [900, 3600, 6 * 3600, 12 * 3600, 86_400];

interface SpanFieldProps {
  readonly name: 'interval' | 'sync_interval';
  readonly label: string;
  readonly hint: string;
}

/** The standard one stands first in a new form; another one that is stored stays a choice. */
function SpanField({ name, label, hint }: SpanFieldProps): Child {
  const { fields } = useContext(FormContext);
  const stored = Number(fields.optional(name) ?? defaultFields[name]);
  const all = [...new Set([defaultFields[name], ...spans, ...(Number.isSafeInteger(stored) ? [stored] : [])])];
  const choices = all.map((seconds) => ({ value: String(seconds), label: intervalWords(seconds) }));
  return <SelectField name={name} label={label} hint={hint} choices={choices} />;
}
