// The fields of the forms that add and edit a repository: from the form to the operation, and from a repository to the
// form. Pure.

import type { JsonValue } from '../../../../build/contract/json.ts';
import type { RepositoryCredentials } from '../../../sync/credentials.ts';
import type {
  FilterFields,
  RepositoryDocument,
  RepositoryDraftFields,
  RepositoryPatchFields,
} from '../../../sync/repository-schema.ts';
import { repositoryTypes } from '../../../sync/repository.ts';
import { fieldFault, FormFields } from '../../request/form-fields.ts';

/** The fields that hold a secret: no page shows them again. */
export const secretFields = ['secret', 'private_key'] as const;

export const filterFields = [
  'only',
  'except',
  'versions',
  'minimum_stability',
  'tags',
  'branches',
  'subdirectories',
  'packages',
] as const satisfies readonly (keyof FilterFields)[];
type FilterField = (typeof filterFields)[number];

/** Where the paths of the services' faults differ from the names of the fields. */
export const repositoryFieldOf: Readonly<Record<string, string>> = {
  credentials: 'auth',
  'credentials.username': 'username',
  'credentials.password': 'secret',
  'credentials.token': 'secret',
  'credentials.header': 'header',
  'credentials.private_key': 'private_key',
};

/** Throws INVALID_INPUT. */
export function repositoryDraftOf(fields: FormFields): RepositoryDraftFields {
  const type = repositoryTypes.find((one) => one === fields.text('type'));
  if (type === undefined) throw fieldFault('type', 'Choose one of these kinds.');
  const url = fields.text('url');
  if (url === '') throw fieldFault('url', 'Enter the address of the repository.');
  const credentials = repositoryCredentialsOf(fields);
  return { type, url, credentials, interval: intervalOf(fields), ...filtersOf(filterFields, fields) };
}

/** What the fields of the edit form have before a change. */
export function valuesOf(repository: RepositoryDocument): Record<string, string> {
  const { interval } = repository;
  return {
    interval: interval === null ? '' : String(interval),
    ...Object.fromEntries(filterFields.map((name) => [name, filterText(repository[name])])),
  };
}

/** What an edit form changes; undefined: nothing. A field that shows the same as before keeps its value. */
export function patchOf(repository: RepositoryDocument, fields: FormFields): RepositoryPatchFields | undefined {
  const before = new FormFields(new URLSearchParams(valuesOf(repository)));
  const isChanged = (name: string): boolean => fields.lines(name).join('\n') !== before.lines(name).join('\n');
  const patch: RepositoryPatchFields = {
    ...(isChanged('interval') && { interval: intervalOf(fields) }),
    ...filtersOf(filterFields.filter(isChanged), fields),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** null: none. Throws INVALID_INPUT for a secret that is missing. */
export function repositoryCredentialsOf(fields: FormFields): RepositoryCredentials | null {
  const secret = fields.text('secret');
  switch (fields.text('auth')) {
    case '':
    case 'none':
      return null;
    case 'ssh_key':
      return { private_key: given(fields.secret('private_key'), 'private_key') };
    case 'bearer':
      return { token: given(secret, 'secret') };
    case 'header':
      return { header: given(fields.text('header'), 'header'), token: given(secret, 'secret') };
    case 'basic': {
      const username = fields.optional('username');
      return { ...(username === undefined ? {} : { username }), password: given(secret, 'secret') };
    }
    default:
      throw fieldFault('auth', 'Choose one of these ways.');
  }
}

function given(text: string, field: string): string {
  if (text.trim() === '') throw fieldFault(field, 'Enter it: these credentials need it.');
  if (text.length > 20_000) throw fieldFault(field, 'It may have 20 000 characters.');
  return text;
}

const longestInterval = 366 * 86_400;

function intervalOf(fields: FormFields): number | null {
  const text = fields.text('interval');
  if (text === '') return null;
  const seconds = Number(text);
  if (/^\d{1,9}$/.test(text) && seconds >= 60 && seconds <= longestInterval) return seconds;
  throw fieldFault('interval', 'Choose one of these spans.');
}

function filtersOf(names: readonly FilterField[], fields: FormFields): Partial<FilterFields> {
  return Object.fromEntries(names.map((name) => [name, filterOf(name, fields)]));
}

/** null: the filter is not set */
function filterOf(name: FilterField, fields: FormFields): JsonValue {
  const lines = fields.lines(name);
  if (lines.length === 0) return null;
  if (name === 'minimum_stability') return lines[0] ?? null;
  const isRuled = lines.some((line) => separator.test(line));
  if (name === 'packages' || ((name === 'except' || name === 'versions') && isRuled)) return rulesOf(lines);
  return name === 'versions' ? lines.join(' ') : [...lines];
}

/** `acme/core: ^1.0` a line, or `acme/core = ^1.0`. */
const separator = /:|(?<=^\S+) = /;

/** Without a constraint: all versions. */
function rulesOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const { index, 0: found } = separator.exec(line) ?? { index: line.length, 0: '' };
      return [line.slice(0, index).trim(), line.slice(index + found.length).trim() || '*'];
    }),
  );
}

function filterText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(String).join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, constraint]) => `${name}: ${String(constraint)}`)
    .join('\n');
}
