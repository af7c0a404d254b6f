// Tests the lines that a server prints for the first admin.

import { expect, it } from 'vitest';

import { Secret } from '../../../../build/shared/text/secret.ts';
import { setupLines } from '../../../../cli/serve/announcement.ts';

it('quotes an address in brackets, which zsh would take for a pattern', () =>
  expect(setupLines({ code: new Secret('set_x'), url: 'http://[::1]:8080' })[1]).toContain(
    "  curl 'http://[::1]:8080/api/auth/setup' -H",
  ));
