// Tells people how they begin with a server: the page or the request that makes the first admin, or the address of the
// console.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { Context } from '../io/context.ts';
import { printLines, revealSecret } from '../io/output.ts';
import type { Service } from './service.ts';

type Places = Pick<Service, 'console' | 'local'>;

/** `before`: lines above them. */
export async function printFirstSteps(
  { stderr, remarks }: Pick<Context, 'stderr' | 'remarks'>,
  service: Places & Pick<Service, 'offerSetup' | 'signInWarning'>,
  before: readonly string[] = [],
): Promise<void> {
  const code = await service.offerSetup();
  printLines(stderr, await service.signInWarning());
  if (code !== undefined) printLines(stderr, [...before, ...setupLines(code, service)]);
  else if (service.console !== undefined) printLines(remarks, [...before, `Console: ${service.console}`]);
}

/** Explains how to make the first admin. Pure. */
export function setupLines(code: Secret, { console: pages, local }: Places): string[] {
  return [...(pages === undefined ? requestLines(code, local) : pageLines(code, pages)), commandLine];
}

const commandLine = 'Or run `libretto user create --admin --email EMAIL` here.';

function pageLines(code: Secret, pages: string): string[] {
  return [
    'There is no user yet. To create the first admin, open this page within an hour:',
    `  ${pages}setup?code=${revealSecret(code)}`,
  ];
}

function requestLines(code: Secret, local: string): string[] {
  const fields = { setup_code: revealSecret(code), email: 'EMAIL', password: 'PASSWORD' };
  return [
    'There is no user yet. To create the first admin, replace the email and password in this command, and run ' +
      'it within an hour:',
    `  curl ${quoteForShell(`${local}/api/auth/setup`)} -H 'Content-Type: application/json' -d '${JSON.stringify(fields)}'`,
  ];
}
