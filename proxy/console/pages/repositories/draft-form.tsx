// The fields of a repository: its place, its credentials, the interval of its syncs, and its filters. Credentials go in
// and never come out: a form that is shown again has these fields empty.

import type { Child } from 'hono/jsx';
import { FoldedFields } from '../../components/folded-fields.tsx';
import { SelectField, TextArea, TextField, type Choice } from '../../components/form.tsx';
import { RadioGroup } from '../../components/radio-group.tsx';
import { withLineFaults, type FormState } from '../../request/form-fields.ts';
import { filterFields, secretFields } from './draft-fields.ts';
import { intervalWords } from './repository-words.tsx';

/** The form without its secrets, and with the faults of single lines beside their fields. */
export function withoutSecrets(state: FormState): FormState {
  return withLineFaults({ ...state, fields: state.fields.without(secretFields) }, filterFields);
}

const ofHost = 'On the host of the server, if whoever runs it allows the folder.';

export function PlaceFields(): Child {
  return (
    <>
      <RadioGroup
        name="type"
        label="Kind"
        choices={[
          {
            value: 'git',
            label: 'Git repository',
            hint: 'Fetched over https or ssh. Its tags and branches are versions.',
          },
          { value: 'composer', label: 'Composer repository', hint: 'Another registry, whose packages are mirrored.' },
          {
            value: 'directory',
            label: 'Folder of packages',
            hint: ofHost,
          },
          {
            value: 'artifact',
            label: 'Folder of ZIPs and tars',
            hint: ofHost,
          },
        ]}
      />
      <TextField
        name="url"
        label="Address"
        hint="Without credentials: https://git.example.org/acme/tool.git. For a folder its absolute path."
        maxlength={2000}
        autocomplete="off"
        spellcheck={false}
        required
      />
    </>
  );
}

const ways: readonly Choice[] = [
  { value: 'none', label: 'none' },
  { value: 'basic', label: 'user name and password or access token (https)' },
  { value: 'bearer', label: 'bearer token (https)' },
  { value: 'header', label: 'token in a header (Composer repositories)' },
  { value: 'ssh_key', label: 'private key (ssh)' },
];

/**
 * The style sheet shows the fields of the chosen way. `isAgain`: the form was sent before, so that a secret must be
 * entered again.
 */
export function RepositoryCredentialFields({ isAgain }: { readonly isAgain: boolean }): Child {
  return (
    <fieldset class="limits ways">
      <legend>Credentials</legend>
      <p class="soft">
        They are stored encrypted and never shown again.
        {isAgain ? ' Enter the secret again: this page does not keep it.' : ''}
      </p>
      <SelectField name="auth" label="Way" choices={ways} />
      <div class="side-by-side" data-for="secret">
        <div data-for="basic">
          <TextField
            name="username"
            label="User name"
            hint="With an access token: may stay empty."
            maxlength={200}
            autocomplete="off"
          />
        </div>
        <TextField
          name="secret"
          label="Password or token"
          hint="An access token that can only read."
          type="password"
          autocomplete="new-password"
        />
      </div>
      <div data-for="header">
        <TextField name="header" label="Header" hint="For a token in a header: PRIVATE-TOKEN." autocomplete="off" />
      </div>
      <PrivateKeyField />
    </fieldset>
  );
}

function PrivateKeyField(): Child {
  return (
    <div data-for="ssh_key">
      <TextArea
        name="private_key"
        label="Private key"
        rows={4}
        hint="For ssh, without a passphrase, as ssh-keygen writes it."
        autocomplete="off"
        spellcheck={false}
      />
    </div>
  );
}

const intervals = [300, 900, 3600, 6 * 3600, 86_400];

/** `current`: seconds; the present interval of an edited repository. A new one is read every hour. */
export function IntervalField({ current = 3600 }: { readonly current?: number | null }): Child {
  const all = current === null || intervals.includes(current) ? intervals : [...intervals, current];
  return (
    <SelectField
      name="interval"
      label="Syncs"
      hint="How often the registry reads it by itself."
      value={current === null ? '' : String(current)}
      choices={[
        { value: '', label: intervalWords(null) },
        ...all.map((seconds) => ({ value: String(seconds), label: intervalWords(seconds) })),
      ]}
    />
  );
}

const stabilities: readonly Choice[] = [
  { value: '', label: 'all versions' },
  { value: 'stable', label: 'only stable' },
  ...['RC', 'beta', 'alpha', 'dev'].map((value) => ({ value, label: `${value} and more stable` })),
];

export function FoldedFilterFields(): Child {
  return (
    <FoldedFields label="Filters: publish only a part" names={filterFields}>
      <FilterFields />
    </FoldedFields>
  );
}

export function FilterFields(): Child {
  return (
    <fieldset class="limits">
      <legend>What is published</legend>
      <p class="soft">All filters are optional: one entry a line. Without them everything is published.</p>
      <Lines name="only" label="Only packages" hint="acme/core or acme/*" />
      <Lines name="except" label="Except packages" hint="acme/secret, or some versions of it: acme/core: <2.0" />
      <Lines name="versions" label="Versions" hint="One constraint for all: ^1.0 || dev-main. Or acme/core: ^2.0" />
      <SelectField name="minimum_stability" label="Minimum stability" choices={stabilities} />
      <div class="side-by-side">
        <Lines name="tags" label="Tags" hint="Git: v* reads these, !v0.* leaves these out." />
        <Lines name="branches" label="Branches" hint="Git: main or *.x" />
      </div>
      <Lines name="subdirectories" label="Subfolders" hint="Git: folders that are packages, such as packages/core" />
      <Lines name="packages" label="Fetched in advance" hint="Composer repositories: acme/tool: ^1.0" />
    </fieldset>
  );
}

function Lines(props: { readonly name: string; readonly label: string; readonly hint: string }): Child {
  return <TextArea {...props} rows={2} spellcheck={false} />;
}
