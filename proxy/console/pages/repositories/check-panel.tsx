// What a check of a repository found, before the repository is saved.

import type { Child } from 'hono/jsx';
import type { Verification } from '../../../sync/repository-schema.ts';
import { MarkedText, ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/quantity.ts';
import type { FormState } from '../../request/form-fields.ts';

/** The id of the panel. */
export const checkPart = 'check';

/** The id of the form beside it. */
export const formId = 'repository';

/** The field of the button that adds what cannot be read. */
export const anywayField = 'anyway';

const maxNames = 20;

export interface CheckPanelProps {
  readonly state: FormState;
  /** undefined: nothing was checked */
  readonly found: Verification | undefined;
}

export function CheckPanel({ state, found }: CheckPanelProps): Child {
  const faults = [...(state.refusal === undefined ? [] : [state.refusal]), ...state.faults.values()];
  return (
    <section id={checkPart} class="panel stack" role="status">
      <h2>Check</h2>
      {found === undefined && faults.length === 0 ? (
        <p class="soft">“Check” looks at the repository with these credentials, and stores nothing.</p>
      ) : null}
      {faults.length === 0 ? null : (
        <Notice kind="warn">
          {faults.map((fault) => (
            <p>
              <ReasonText text={fault} />
            </p>
          ))}
        </Notice>
      )}
      {found === undefined ? null : <Found {...found} />}
    </section>
  );
}

function Found(found: Verification): Child {
  const { ok, message, packages, problems } = found;
  if (!ok)
    return (
      <>
        <Notice kind="bad">
          It cannot be read: <MarkedText text={message ?? 'no reason was given'} />
        </Notice>
        <p>Nothing was stored. If address and credentials are right, add it anyway: later syncs try again.</p>
        <div>
          <button class="button" form={formId} name={anywayField} value="on">
            Add it anyway
          </button>
        </div>
      </>
    );
  return (
    <>
      <Notice kind="good">{`It can be read: ${contentWords(found)}.`}</Notice>
      <Names title="Packages" names={packages} />
      <Names title="Problems" names={problems} />
    </>
  );
}

function contentWords({
  tags,
  branches,
  default_branch: branch,
  package_count: count,
  packages,
}: Verification): string {
  if (tags !== null && branches !== null)
    return [
      formatCount(tags, 'tag'),
      formatCount(branches, 'branch', 'branches'),
      branch === null ? 'no default branch' : `default branch ${branch}`,
    ].join(', ');
  return formatCount(count ?? packages.length, 'package');
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }): Child {
  if (names.length === 0) return null;
  return (
    <div class="stack-tight">
      <h3>{title}</h3>
      <ul>
        {names.slice(0, maxNames).map((name) => (
          <li>{name}</li>
        ))}
        {names.length > maxNames ? <li>{`and ${names.length - maxNames} more`}</li> : null}
      </ul>
    </div>
  );
}
