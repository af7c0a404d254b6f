// Tests the lines that a server prints for the first admin.

import { expect, it } from 'vitest';

import { Secret } from '../../../../build/shared/text/secret.ts';
import { setupLines } from '../../../../cli/serve/first-steps.ts';

const code = new Secret('set_x');

it('quotes an address in brackets, which zsh would take for a pattern', () =>
  expect(setupLines(code, { console: undefined, local: 'http://[::1]:8080' })[1]).toContain(
    "  curl 'http://[::1]:8080/api/auth/setup' -H",
  ));

it('prints the page of the console instead of a request, where there is a console', () =>
  expect(setupLines(code, { console: 'http://127.0.0.1:8080/ui/', local: 'http://127.0.0.1:8080' })).toEqual([
    'There is no user yet. To create the first admin, open this page within an hour:',
    '  http://127.0.0.1:8080/ui/setup?code=set_x',
    'Or run `libretto user create --admin --email EMAIL` here.',
  ]));
