// A page of the console with its title as the heading.

import type { Child } from 'hono/jsx';
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
