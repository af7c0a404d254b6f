// The fields of the forms that add and edit a repository: from the form to the service, and from a repository to the
// form. Pure.

import type { JsonValue } from '../../../../build/contract/json.ts';
import type { RepositoryCredentials } from '../../../sync/credentials.ts';
import type { RepositoryDraft, RepositoryPatch } from '../../../sync/repositories.ts';
import type { RepositoryFilters, RepositoryRecord, RepositoryType } from '../../../sync/repository.ts';
import { fieldFault, FormFields } from '../../request/form-fields.ts';
import { typeWords } from './repository-words.tsx';

/** The fields that hold a secret: no page shows them again. */
export const secretFields = ['secret', 'private_key'] as const;

export const filterFields = [
  'only',
  'except',
  'versions',
  'minimum-stability',
  'tags',
  'branches',
  'subdirectories',
  'packages',
] as const satisfies readonly (keyof RepositoryFilters)[];
type FilterField = (typeof filterFields)[number];

/** Where the paths of the services' faults differ from the names of the fields. */
export const repositoryFieldOf: Readonly<Record<string, string>> = {
  minimum_stability: 'minimum-stability',
  credentials: 'auth',
  'credentials.username': 'username',
  'credentials.password': 'secret',
  'credentials.token': 'secret',
  'credentials.header': 'header',
  'credentials.private_key': 'private_key',
};

/** Throws INVALID_INPUT. */
export function repositoryDraftOf(fields: FormFields): RepositoryDraft {
  const type = (Object.keys(typeWords) as RepositoryType[]).find((one) => one === fields.text('type'));
  if (type === undefined) throw fieldFault('type', 'Choose one of these kinds.');
  const url = fields.text('url');
  if (url === '') throw fieldFault('url', 'Enter the address of the repository.');
  return {
    type,
    url,
    credentials: repositoryCredentialsOf(fields),
    interval: intervalOf(fields),
    filters: Object.fromEntries(
      filterFields.map((name) => [name, filterOf(name, fields)] as const).filter(([, value]) => value !== null),
    ) as RepositoryFilters,
  };
}

/** The fields of the edit form. */
export function fieldsOfRepository({ interval, filters }: RepositoryRecord): FormFields {
  return new FormFields(
    new URLSearchParams([
      ['interval', interval === null ? '' : String(interval)],
      ...filterFields.map((name): [string, string] => [name, filterText(filters[name])]),
    ]),
  );
}

/** What an edit form changes; undefined: nothing. A field that shows the same as before keeps its value. */
export function patchOf(record: RepositoryRecord, fields: FormFields): RepositoryPatch | undefined {
  const before = fieldsOfRepository(record);
  const isChanged = (name: string): boolean => fields.lines(name).join('\n') !== before.lines(name).join('\n');
  const changed = filterFields.filter(isChanged);
  const patch: RepositoryPatch = {
    ...(isChanged('interval') ? { interval: intervalOf(fields) } : {}),
    ...(changed.length === 0
      ? {}
      : { filters: Object.fromEntries(changed.map((name) => [name, filterOf(name, fields)])) }),
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

/** null: the filter is not set */
function filterOf(name: FilterField, fields: FormFields): JsonValue {
  const lines = fields.lines(name);
  if (lines.length === 0) return null;
  if (name === 'minimum-stability') return lines[0] ?? null;
  const isRuled = lines.some((line) => line.includes(':'));
  if (name === 'packages' || ((name === 'except' || name === 'versions') && isRuled)) return rulesOf(lines);
  return name === 'versions' ? lines.join(' ') : [...lines];
}

/** `acme/core: ^1.0` a line; without a constraint all versions. */
function rulesOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...constraint] = line.split(':');
      return [name.trim(), constraint.join(':').trim() || '*'];
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
