// Pages of the console with their title as the heading.

import type { Child } from 'hono/jsx';
import { EmptyState } from '../components/empty-state.tsx';
import type { IconName } from '../components/icon.tsx';
import { PageHead, type PageHeadProps } from '../components/place.tsx';
import type { PageView } from './definitions.ts';
import type { Section } from './sections.ts';

interface Headed extends PageHeadProps {
  readonly title: string;
  readonly section?: Section;
}

/** `content`: what stands below the heading. */
export function headedPage({ section, ...head }: Headed, content: Child): PageView {
  return {
    title: head.title,
    ...(section && { section }),
    content: (
      <>
        <PageHead {...head} />
        {content}
      </>
    ),
  };
}

interface ListPage extends Omit<Headed, 'actions'> {
  readonly hasRows: boolean;
  /** the button that adds the next row: in the heading, or where the list is empty */
  readonly add: Child;
  /** above the table */
  readonly notice?: Child;
  readonly table: Child;
  /** stands for the table: why the list is empty, and what to do next; false: nothing does */
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: Child } | false;
  readonly below?: Child;
}

/** A page with a list of everything of one kind. */
export function listPage({ hasRows, add, notice, table, empty, below, ...head }: ListPage): PageView {
  return headedPage(
    { ...head, actions: hasRows ? add : undefined },
    <>
      {notice}
      {hasRows ? table : null}
      {hasRows || empty === false ? null : (
        <EmptyState icon={empty.icon} title={empty.title} action={add}>
          {empty.text}
        </EmptyState>
      )}
      {below}
    </>,
  );
}
