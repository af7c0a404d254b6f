// What the page about a terminal says: which terminal asks, what it gets, and the two answers; and afterwards, what was
// decided.

import type { Child } from 'hono/jsx';
import type { SignInRequest } from '../../../device/sign-in-request.ts';
import { rightsText } from '../../../device/terminal-rights.ts';
import { parseUserCode } from '../../../device/user-code.ts';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink, Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount } from '../../components/quantity.ts';
import { Time } from '../../components/time.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { emptyForm, type FormState } from '../../request/form-fields.ts';

/** `code`: as it was typed. */
export function terminalQuestionView(
  request: SignedInRequest,
  terminal: SignInRequest,
  code: string,
  state: FormState = emptyForm,
): PageView {
  const title = 'Sign in this terminal?';
  return {
    title,
    content: (
      <>
        <PageHead title={title} sentence="Approve only if you have just started `libretto login` yourself." />
        <div class="stack">
          <Notice kind="warn">
            Did somebody send you this code or this link? Then deny: they would get your rights.
          </Notice>
          <Facts request={request} terminal={terminal} code={code} />
          <Form
            state={state}
            action={`/device/approve?code=${encodeURIComponent(code)}`}
            submit="Approve"
            asksPassword={request.asksPassword}
            cancel="/account"
          >
            <input type="hidden" name="code" value={code} />
          </Form>
          <Form state={emptyForm} action="/device/deny" submit="Deny" isDanger>
            <input type="hidden" name="code" value={code} />
          </Form>
        </div>
      </>
    ),
  };
}

interface FactsProps {
  readonly request: SignedInRequest;
  readonly terminal: SignInRequest;
  readonly code: string;
}

function Facts({ request, terminal, code }: FactsProps): Child {
  const { caller, nowMs, clientAddress } = request;
  const { machine, address, created_at: at, days } = terminal;
  return (
    <dl class="facts panel">
      <Fact label="Code">
        <code>{parseUserCode(code) ?? code}</code>
      </Fact>
      <Fact label="Machine">{machine}, as it says of itself</Fact>
      <Fact label="Address">
        <code>{address}</code>
        {address === clientAddress ? ', the same as of this browser' : `; this browser has ${clientAddress}`}
      </Fact>
      <Fact label="Asked">
        <Time at={at} nowMs={nowMs} />
      </Fact>
      <Fact label="It gets">
        a token for {formatCount(days, 'day')}. With it the terminal acts as {caller.email}, with the role {caller.role}
        . {rightsText({ role: caller.role, seesAll: caller.view === undefined })}
      </Fact>
    </dl>
  );
}

export function decidedView({ caller }: SignedInRequest, terminal: SignInRequest, approved: boolean): PageView {
  const title = approved ? 'The terminal is approved' : 'The terminal is denied';
  return {
    title,
    content: (
      <>
        <PageHead
          title={title}
          sentence={
            approved
              ? `${terminal.machine} gets its token in a few seconds. You can close this page.`
              : `${terminal.machine} gets no token. The code cannot be used again.`
          }
        />
        <p>{approved ? `Signed in as ${caller.email}. ` : ''}Your account lists all terminals, and ends them.</p>
        <p>
          <ButtonLink to="/account">Your account</ButtonLink>
        </p>
      </>
    ),
  };
}
