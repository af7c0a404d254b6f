// Tests the table of permissions of the console: every page and form, as every role and as nobody. Pages join the test
// by their registration.

import { describe, expect, it } from 'vitest';
import { decidePermission, roles, type CallerClass } from '../../../proxy/auth/permissions.ts';
import { readAuditHead } from '../../../proxy/state/audit-log.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

type Definition = RunningConsole['definitions'][number];

const visitors: readonly Exclude<CallerClass, `${string} token`>[] = ['nobody', ...roles];

/** The path with a value for each parameter that stands for nothing. */
function pathOf({ path }: Definition): string {
  return path.replaceAll(/:\w+/g, 'x1');
}

/** Browsers of all visitors; one that was signed out by a page signs in again. */
async function browsersIn(console: RunningConsole): Promise<(who: CallerClass) => Promise<TestBrowser>> {
  const browsers = new Map<CallerClass, TestBrowser>();
  return async (who) => {
    const known = browsers.get(who);
    if (known !== undefined && known.cookies.size > 0) return known;
    const browser =
      who === 'nobody' ? console.browser() : (await console.signIn(who as (typeof roles)[number])).browser;
    browsers.set(who, browser);
    return browser;
  };
}

/** What became of a request, as far as rights go. */
function verdictOf({ status, text, headers }: PageReply): 'allowed' | 'authenticate' | 'refused' {
  if (status === 303 && /sign-in\?next=/.test(String(headers['location']))) return 'authenticate';
  if (status === 401 && text.includes('Your session has ended')) return 'authenticate';
  return status === 403 ? 'refused' : 'allowed';
}

describe('the permissions of the console', () => {
  it('each page is shown to those whom the policy allows its operation, and changes nothing', async () => {
    await using console = await runConsole();
    const browserOf = await browsersIn(console);
    const found: string[] = [];
    const expected: string[] = [];
    for (const who of visitors) {
      const browser = await browserOf(who);
      const before = await readAuditHead(console.registry.state);
      for (const definition of console.definitions) {
        const line = `${who} GET ${definition.path}: `;
        found.push(line + verdictOf(await browser.get(pathOf(definition))));
        expected.push(line + decidePermission(definition.operation, who));
      }
      expect(await readAuditHead(console.registry.state)).toEqual(before);
    }
    expect(found).toEqual(expected);
  });

  it('each form is taken from those whom the policy allows its operation; a refused one changes nothing', async () => {
    await using console = await runConsole();
    const browserOf = await browsersIn(console);
    const found: string[] = [];
    const expected: string[] = [];
    for (const who of visitors) {
      for (const definition of console.definitions.filter(({ posts }) => posts)) {
        const decision = decidePermission(definition.operation, who);
        const browser = await browserOf(who);
        const before = await readAuditHead(console.registry.state);
        const verdict = verdictOf(await browser.post(pathOf(definition), {}));
        const after = await readAuditHead(console.registry.state);
        const line = `${who} POST ${definition.path}: `;
        found.push(`${line}${verdict}${decision !== 'allowed' && after?.seq !== before?.seq ? ', changed' : ''}`);
        expected.push(line + decision);
      }
    }
    expect(found).toEqual(expected);
  });

  it('viewers post only about their own account; maintainers nothing about people, settings and the past', async () => {
    await using console = await runConsole();
    const postedBy = (who: CallerClass): readonly string[] =>
      console.definitions
        .filter(({ posts, operation }) => posts && decidePermission(operation, who) === 'allowed')
        .map(({ path }) => path);
    const own = /^\/(?:account|passkey|device|sign-in|sign-out|setup|invitation)(?:\/|$)/;
    const kept = /^\/(?:(?:tokens|repositories|connections|uploads|packages|projects|health)(?:\/|$)|policy\/check$)/;
    expect(postedBy('viewer').filter((path) => !own.test(path))).toEqual([]);
    expect(postedBy('maintainer').filter((path) => !own.test(path) && !kept.test(path))).toEqual([]);
    expect(postedBy('nobody').filter((path) => !own.test(path) || /^\/(?:account|device)/.test(path))).toEqual([]);
    expect(postedBy('admin')).toContain('/people/:id/delete');
  });
});
