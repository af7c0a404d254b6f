// The page on which a person signs a terminal in: they type its code, see which terminal it is and what it gets, and
// approve or deny. A link that brings the code along still asks.

import type { Terminals } from '../../../device/terminals.ts';
import { parseUserCode } from '../../../device/user-code.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, type FormFields, type FormState } from '../../request/form-fields.ts';
import { decidedView, terminalQuestionView } from './terminal-question.tsx';

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
      state.isPosted ? ask(request, codeOf(state.fields), state) : questionAt(request.query.get('code') ?? ''),
    submit: async (request, fields) =>
      decidedView(request, await terminals.decide(visitorOf(request), codeOf(fields), true), true),
  });
  pages.form({
    path: '/device/deny',
    operation: 'approveTerminal',
    asksNothing: true,
    show: () => ({ to: '/device' }),
    submit: async (request, fields) =>
      decidedView(request, await terminals.decide(visitorOf(request), codeOf(fields), false), false),
  });
}

/** The question has the code in its address, so that it comes back after a detour, such as to an identity provider. */
function questionAt(code: string): PageOutcome {
  return { to: code === '' ? '/device' : `/device?code=${encodeURIComponent(parseUserCode(code) ?? code)}` };
}

function visitorOf({ caller: { userId }, clientAddress: address }: SignedInRequest) {
  return { userId, address };
}

function codeOf(fields: FormFields): string {
  return fields.text('code');
}

function entryView(state: FormState): PageOutcome {
  const title = 'Sign in a terminal';
  return {
    title,
    content: (
      <>
        <PageHead title={title} sentence="`libretto login` shows a code in your terminal. Type it here." />
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
        </Form>
      </>
    ),
  };
}
