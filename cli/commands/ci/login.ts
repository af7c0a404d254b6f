// `libretto ci login`: the ID token of a CI job becomes a read token, which Composer gets.

import { resolve } from 'node:path';

import { quoteForShell } from '../../../build/shared/text/quote-for-shell.ts';
import { exportToNextSteps, withBearer, writeAuthFile } from '../../ci/composer-auth.ts';
import { exchange, registryOfJob, type JobToken } from '../../ci/exchange.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printLines, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

type CredentialsTarget =
  | { readonly kind: 'print' }
  | { readonly kind: 'next steps'; readonly file: string }
  | { readonly kind: 'folder'; readonly path: string };

const name = 'COMPOSER_AUTH';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const registry = registryOfJob(flags, context, '`libretto ci login`');
  const place = placeOf(flags, context);
  // a faulty value is refused before the ID token is used up
  withBearer(context.environment[name], name, 'HOST', '');
  const publisher = flags['publisher'] as string | undefined;
  const token = await exchange(registry, context, { purpose: 'read', publisher });
  const host = new URL(registry.url).host;
  await give(context, place, host, token);
  printLines(context.remarks, [`Composer can read from ${host} until ${token.expiresAt.replace(/\.\d+Z$/, 'Z')}.`]);
  return 0;
}

/** Throws UsageError if nothing says where Composer of the next steps would read it. */
function placeOf(flags: CommandInput['flags'], { environment, workingDirectory }: Context): CredentialsTarget {
  const { print, composerHome: folder } = flags;
  if (print === true && folder !== undefined) throw new UsageError('Use --print or --composer-home, not both.');
  if (print === true) return { kind: 'print' };
  if (typeof folder === 'string') return { kind: 'folder', path: resolve(workingDirectory, folder) };
  const { GITHUB_ENV: file = '', COMPOSER_HOME: home = '' } = environment;
  if (file !== '') return { kind: 'next steps', file };
  if (home !== '') return { kind: 'folder', path: resolve(workingDirectory, home) };
  throw new UsageError(
    'Nothing says where Composer reads its credentials. Set COMPOSER_HOME, or use --composer-home DIRECTORY and give the ' +
      'same folder to Composer. --print shows the token on standard output.',
  );
}

async function give(
  { environment, stdout, stderr, remarks }: Context,
  place: CredentialsTarget,
  host: string,
  { token }: JobToken,
): Promise<void> {
  if (place.kind === 'folder') {
    printLines(remarks, [`Wrote ${await writeAuthFile(place.path, host, token)}.`]);
    if ((environment[name] ?? '') !== '')
      printWarnings(stderr, [`${name} is set too. Composer prefers its entries to those of auth.json.`]);
    return;
  }
  const auth = withBearer(environment[name], name, host, token);
  if (place.kind === 'print') {
    printWarnings(stderr, ['The next line has the token. The log of a CI job would keep it: pass it to `eval`.']);
    printLines(stdout, [`export ${name}=${quoteForShell(JSON.stringify(auth))}`]);
    return;
  }
  // the runner hides the text in every later line of the log
  printLines(stdout, [`::add-mask::${token}`]);
  exportToNextSteps(place.file, name, auth);
}
