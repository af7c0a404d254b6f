// The run of a CI job in words: the repository, a link to the run at its forge, and the commit.

import type { Child } from 'hono/jsx';
import { parseUrl } from '../../../build/contract/parse-url.ts';
import type { PublishedFrom } from '../../artifacts/published-from.ts';
import { Icon } from '../components/icon.tsx';

export function CiRun({ run }: { readonly run: PublishedFrom }): Child {
  const { repository, run_id: id, ref, commit } = run;
  const parts: readonly Child[] = [
    ...(repository === null ? [] : [<span class="breaks">{repository}</span>]),
    ...(id === null ? [] : [<RunLink run={run} />]),
    ...(ref === null ? [] : [<span class="breaks">{ref.replace(/^refs\/(?:heads|tags)\//, '')}</span>]),
    ...(commit === null ? [] : [<CommitText commit={commit} />]),
  ];
  if (parts.length === 0) return 'a CI job';
  return (
    <>
      {parts.map((part, at) => (
        <>
          {at === 0 ? '' : ', '}
          {part}
        </>
      ))}
    </>
  );
}

/** The address comes from claims: only http and https become links. */
function RunLink({ run: { run_id: id, run_url: to } }: { readonly run: PublishedFrom }): Child {
  const words = `run ${id}`;
  if (to === null || !/^https?:\/\/[^\s<>"']+$/i.test(to) || parseUrl(to)?.username !== '') return words;
  return (
    <a href={to} rel="noreferrer noopener">
      {words}
      <Icon name="external-link" label="at another site" />
    </a>
  );
}

function CommitText({ commit }: { readonly commit: string }): Child {
  return (
    <>
      {'commit '}
      <code title={commit}>{commit.slice(0, 12)}</code>
    </>
  );
}
