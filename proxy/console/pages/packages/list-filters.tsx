// The words and filters above the list of packages.

import type { Child } from 'hono/jsx';
import { ChoiceFilter, WordsFilter } from '../../components/filters.tsx';
import type { Choice } from '../../components/form.tsx';
import type { ListQuery } from './list-query.ts';

interface ListFiltersProps {
  readonly query: ListQuery;
  readonly types: readonly string[];
  /** true: packages of other registries are listed too */
  readonly mirrors: boolean;
}

const any: Choice = { value: '', label: 'any' };
const stabilityChoices: readonly Choice[] = [
  any,
  { value: 'stable', label: 'has a stable version' },
  { value: 'dev', label: 'only unstable versions' },
];
const stateChoices: readonly Choice[] = [
  any,
  { value: 'advisory', label: 'has an advisory' },
  { value: 'abandoned', label: 'abandoned' },
];
const originChoices: readonly Choice[] = [
  any,
  { value: 'private', label: 'published here' },
  { value: 'mirrored', label: 'mirrored' },
];

export function ListFilters({ query, types, mirrors }: ListFiltersProps): Child {
  const { type, stability, state, origin } = query;
  return (
    <form class="filters" data-live>
      <WordsFilter value={query.words} placeholder="Name or keyword" />
      <ChoiceFilter
        name="type"
        label="Type"
        value={type}
        choices={[any, ...types.map((one) => ({ value: one, label: one }))]}
      />
      <ChoiceFilter name="stability" label="Stability" value={stability} choices={stabilityChoices} />
      <ChoiceFilter name="state" label="State" value={state} choices={stateChoices} />
      {mirrors ? <ChoiceFilter name="origin" label="Origin" value={origin} choices={originChoices} /> : null}
      {query.order === 'name' ? null : <input type="hidden" name="sort" value={query.order} />}
      <button class="button">Search</button>
    </form>
  );
}
