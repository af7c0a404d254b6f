// The page on which a person signs a terminal in: they type its code, see which terminal it is and what it gets, and
// approve or deny. A link that brings the code along still asks.

import type { Terminals } from '../../../device/terminals.ts';
import { parseUserCode } from '../../../device/user-code.ts';
import { Form, TextField, ButtonLink } from '../../components/form.tsx';
import type { PageOutcome, SignedInRequest, PageView } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormState, emptyForm } from '../../request/form-fields.ts';
import type { Child } from 'hono/jsx';
import type { SignInRequest } from '../../../device/sign-in-request.ts';
import { rightsText } from '../../../device/terminal-rights.ts';
import { Fact } from '../../components/fact.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount, Time } from '../../components/values.tsx';

/** `code`: as it was typed. */
function terminalQuestionView(
  request: SignedInRequest,
  terminal: SignInRequest,
  code: string,
  state: FormState = emptyForm,
): PageView {
  const sentence = 'Approve only if you have just started `libretto login` yourself.';
  return headedPage(
    { title: 'Sign in this terminal?', sentence },
    <div class="stack">
      <Notice kind="warn">Did somebody send you this code or this link? Then deny: they would get your rights.</Notice>
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
    </div>,
  );
}

interface FactsProps {
  readonly request: SignedInRequest;
  readonly terminal: SignInRequest;
  readonly code: string;
}

function Facts({ request, terminal, code }: FactsProps): Child {
  const { caller, clientAddress } = request;
  const { machine, address, created_at: at, days } = terminal;
  return (
    <dl class="facts panel">
      <Fact label="Code" value={<code>{parseUserCode(code) ?? code}</code>} />
      <Fact label="Machine">{machine}, as it says of itself</Fact>
      <Fact label="Address">
        <code>{address}</code>
        {address === clientAddress ? ', the same as of this browser' : `; this browser has ${clientAddress}`}
      </Fact>
      <Fact label="Asked" value={<Time at={at} />} />
      <Fact label="It gets">
        a token for {formatCount(days, 'day')}. With it the terminal acts as {caller.email}, with the role {caller.role}
        . {rightsText({ role: caller.role, seesAll: caller.view === undefined })}
      </Fact>
    </dl>
  );
}

function decidedView({ caller }: SignedInRequest, terminal: SignInRequest, approved: boolean): PageView {
  const title = approved ? 'The terminal is approved' : 'The terminal is denied';
  const sentence = approved
    ? `${terminal.machine} gets its token in a few seconds. You can close this page.`
    : `${terminal.machine} gets no token. The code cannot be used again.`;
  return headedPage(
    { title, sentence },
    <>
      <p>{approved ? `Signed in as ${caller.email}. ` : ''}Your account lists all terminals, and ends them.</p>
      <p>
        <ButtonLink to="/account" label="Your account" />
      </p>
    </>,
  );
}

export interface DevicePageServices {
  readonly terminals: Pick<Terminals, 'find' | 'decide'>;
}

export function registerDevicePages(pages: Pages, { terminals }: DevicePageServices): void {
  const ask = async (request: SignedInRequest, code: string, state?: FormState): Promise<PageOutcome> =>
    terminalQuestionView(request, await terminals.find(visitorOf(request), code), code, state);
  pages.form({
    path: '/device',
    operation: 'approveTerminal',
    asksNothing: true,
    show: (request, state) => {
      const code = request.query.get('code') ?? '';
      return code === '' || state.isPosted ? entryView(state) : ask(request, code);
    },
    submit: async (request, fields) => {
      const code = fields.text('code');
      if (code === '') throw fieldFault('code', 'Type the code that the terminal shows.');
      await terminals.find(visitorOf(request), code);
      return questionAt(code);
    },
  });
  pages.form({
    path: '/device/approve',
    operation: 'approveTerminal',
    show: (request, state) =>
      state.isPosted ? ask(request, state.fields.text('code'), state) : questionAt(request.query.get('code') ?? ''),
    submit: async (request, fields) =>
      decidedView(request, await terminals.decide(visitorOf(request), fields.text('code'), true), true),
  });
  pages.form({
    path: '/device/deny',
    operation: 'approveTerminal',
    asksNothing: true,
    show: () => ({ to: '/device' }),
    submit: async (request, fields) =>
      decidedView(request, await terminals.decide(visitorOf(request), fields.text('code'), false), false),
  });
}

/** The question has the code in its address, so that it comes back after a detour, such as to an identity provider. */
function questionAt(code: string): PageOutcome {
  return { to: code === '' ? '/device' : `/device?code=${encodeURIComponent(parseUserCode(code) ?? code)}` };
}

function visitorOf({ caller: { userId }, clientAddress: address }: SignedInRequest) {
  return { userId, address };
}

function entryView(state: FormState): PageOutcome {
  return headedPage(
    { title: 'Sign in a terminal', sentence: '`libretto login` shows a code in your terminal. Type it here.' },
    <Form state={state} submit="Continue" action="/device" cancel="/account">
      <TextField
        name="code"
        label="Code"
        hint="Eight letters and digits, such as K7QM-2XRD."
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        required
      />
    </Form>,
  );
}
