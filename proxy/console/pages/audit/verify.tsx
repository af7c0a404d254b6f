// Verifying the chain of the audit log, as `libretto audit verify` does.

import type { Child } from 'hono/jsx';
import { verifyAudit, type AuditHead, type AuditVerdict } from '../../../state/audit.ts';
import { describeBreak, formatHead, parseHead } from '../../../state/audit-text.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Form, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount } from '../../components/quantity.ts';
import type { PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm, fieldFault, type FormFields, type FormState } from '../../request/form-fields.ts';

export function registerVerification(pages: Pages, state: Pick<StateStore, 'get' | 'range'>): void {
  pages.form({
    path: '/audit/verify',
    operation: 'listAuditEvents',
    show: (_request, form) => view(form, undefined),
    submit: async (_request, fields) => view(emptyForm, await verifyAudit(state, headIn(fields))),
  });
}

/** Throws INVALID_INPUT. */
function headIn(fields: FormFields): AuditHead | undefined {
  const text = fields.optional('head');
  const head = text === undefined ? undefined : parseHead(text);
  if (text !== undefined && head === undefined) throw fieldFault('head', 'Write the number, a colon and the hash.');
  return head;
}

function view(form: FormState, verdict: AuditVerdict | undefined): PageView {
  return {
    title: 'Verify the audit log',
    section: 'audit',
    content: (
      <>
        <PageHead
          title="Verify the audit log"
          sentence="Reads every event, and compares each hash with the events before it."
          trail={[{ label: 'Audit', to: '/audit' }]}
        />
        {verdict === undefined ? null : <Verdict verdict={verdict} />}
        <Form state={form} submit={verdict === undefined ? 'Verify the chain' : 'Verify again'} cancel="/audit">
          <TextField
            name="head"
            label="A head that you kept (optional)"
            hint="The log must still contain this event. Only a kept head shows a log that was rewritten as a whole."
            placeholder="1204:9f86d081…"
            autocomplete="off"
          />
        </Form>
      </>
    ),
  };
}

function Verdict({ verdict }: { readonly verdict: AuditVerdict }): Child {
  if (!verdict.sound) return <Notice kind="bad">{describeBreak(verdict)}</Notice>;
  return (
    <>
      <Notice kind="good">The audit log is sound: {formatCount(verdict.head.seq, 'event')}.</Notice>
      <p>This is its head. Keep it in another place, and compare the log with it later:</p>
      <CodeBlock label="the head of the audit log" text={formatHead(verdict.head)} />
    </>
  );
}
