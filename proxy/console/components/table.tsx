// A table whose rows become cards on a phone. A column can sort the list: its head is a link then.

import type { Child } from 'hono/jsx';
import { groupBy } from '../../../build/shared/collections/group-by.ts';
import { Icon } from './icon.tsx';
import { A } from './place.tsx';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => Child;
  readonly isNumber?: boolean;
  /** the page that sorts by this column; undefined: the column does not sort */
  readonly sortsTo?: string;
  /** the list is sorted by this column */
  readonly sorted?: 'ascending' | 'descending';
  /** true: a card shows the cell without its label, as the first column always does */
  readonly isPlain?: boolean;
}

interface TableProps<Row> {
  /** what the table lists, for those who listen */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** stands for the table where there are no rows */
  readonly empty?: string;
  /** true: the columns have the same widths in every such table of a page */
  readonly isAligned?: boolean;
  /** the heading above a row, which rows of a group share; nothing stands above a single group */
  readonly groupOf?: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, empty, isAligned, groupOf = () => '' }: TableProps<Row>): Child {
  if (rows.length === 0 && empty !== undefined) return <p class="soft">{empty}</p>;
  const groups = [...groupBy(rows, groupOf)];
  return (
    <table class={`table cards${isAligned === true ? ' aligned' : ''}`}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading {...column} />
          ))}
        </tr>
      </thead>
      {groups.map(([heading, rowsOfGroup]) => (
        <tbody>
          {groups.length === 1 ? null : (
            <tr>
              <th class="group" colspan={columns.length} scope="rowgroup">
                {heading}
              </th>
            </tr>
          )}
          {rowsOfGroup.map((row) => (
            <tr>
              {columns.map(({ label, cell, isNumber, isPlain }, at) => (
                <td
                  class={isNumber === true ? 'number' : undefined}
                  data-label={at === 0 || isPlain === true ? undefined : label}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

type HeadingProps = Pick<Column<never>, 'label' | 'isNumber' | 'sortsTo' | 'sorted'>;

function Heading({ label, isNumber, sortsTo, sorted }: HeadingProps): Child {
  return (
    <th
      scope="col"
      class={isNumber === true ? 'number' : undefined}
      {...(sorted === undefined ? {} : { 'aria-sort': sorted })}
    >
      {sortsTo === undefined ? (
        label
      ) : (
        <A to={sortsTo}>
          {label}
          {sorted === undefined ? null : <Icon name={sorted === 'ascending' ? 'arrow-up' : 'arrow-down'} />}
        </A>
      )}
    </th>
  );
}
