// `libretto login`: a person approves this terminal in the console, and the terminal keeps a token of the person.

import { constants, hostname } from 'node:os';
import { longestDays } from '../../../proxy/device/sign-in-request.ts';
import { assertAuthFile, writeAuthFile } from '../../ci/composer-auth.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines, printWarnings } from '../../io/output.ts';
import { startProgress } from '../../io/progress.ts';
import { UsageError } from '../../io/usage-error.ts';
import { composerHome } from '../../login/config-folder.ts';
import { openSignIns, type SignIn, type SignIns } from '../../login/sign-ins.ts';
import { refusePlainHttp } from '../../remote/plain-http.ts';
import { registryAddress } from '../../remote/registry-address.ts';
import type { RemoteRegistry } from '../../remote/remote.ts';
import { requestCode, waitForToken, type DeviceCode, type DeviceToken } from './device-flow.ts';
import { endPersonToken } from './logout.ts';
import { openBrowser } from '../../io/open-browser.ts';

class Interrupted extends Error {}

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const signIns = openSignIns(context.environment);
  if (flags['list'] === true) return list(context, signIns, flags['json'] === true);
  const registry = registryOf(context, flags, operands);
  const machine = typeof flags['name'] === 'string' ? flags['name'] : hostname();
  const days = daysOf(flags['days']);
  if (flags['composer'] === true) assertAuthFile(composerHome(context.environment, context.workingDirectory));
  const former = await formerOf(signIns, registry.url);
  const stop = stopAtCtrlC(context);
  const code = await requestCode(registry, { machine, days });
  await showCode(context, registry, code, flags['browser'] !== false);
  const given = await waitAtTerminal(context, registry, code, stop.signal);
  if (given === undefined) return 128 + constants.signals.SIGINT;
  const kept = await keep(context, signIns, registry, given);
  if (former !== undefined) await endPersonToken(context, { ...registry, token: former.token }, former.signIn);
  const composer = flags['composer'] === true ? await configureComposer(context, registry.url, given.token) : null;
  if (flags['json'] === true) printJson(context.stdout, { ...kept, role: given.role, composer });
  else printLines(context.summary, summaryOf(kept, given, signIns, composer));
  return 0;
}

/** Throws UsageError. */
function registryOf(
  { environment, steps, now }: Context,
  flags: CommandInput['flags'],
  [operand]: CommandInput['operands'],
): RemoteRegistry {
  const url = registryAddress(operand === undefined ? {} : { url: operand }, environment);
  if (url === undefined)
    throw new UsageError('Name the registry: `libretto login https://packages.example.org`, or set LIBRETTO_URL.');
  refusePlainHttp(url, flags['insecureHttp'] === true);
  return { url, now, onRequest: (line) => printLines(steps, [line]) };
}

function daysOf(text: unknown): number {
  const days = Number(text);
  if (Number.isSafeInteger(days) && days >= 1 && days <= longestDays) return days;
  throw new UsageError(`--days is ${JSON.stringify(text)}. Write a whole number from 1 to ${longestDays}.`);
}

/** The sign-in that the new one replaces. */
async function formerOf(
  signIns: SignIns,
  url: string,
): Promise<{ readonly signIn: SignIn; readonly token: string } | undefined> {
  const signIn = signIns.list().find((one) => one.url === url);
  const token = signIn && (await signIns.tokenOf(signIn));
  return signIn === undefined || token === undefined ? undefined : { signIn, token };
}

/** The person needs these lines also with --quiet. */
async function showCode(
  { stderr, environment }: Context,
  { url }: RemoteRegistry,
  { userCode, page, pageWithCode }: DeviceCode,
  opensBrowser: boolean,
): Promise<void> {
  const isOpened = opensBrowser && stderr.isTTY === true && (await openBrowser(pageWithCode, environment));
  printLines(stderr, [
    `To sign in at ${url}, ${isOpened ? 'use the page that your browser shows' : `open ${page} in a browser`}.`,
    ...(isOpened ? [`If it shows none, open ${page}.`] : []),
    `The code is ${userCode}`,
    'It is valid for ten minutes.',
  ]);
}

/** From now on, Ctrl+C ends the wait instead of the program. */
function stopAtCtrlC({ onSignal }: Context): AbortController {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) onSignal(signal, () => stop.abort(new Interrupted()));
  return stop;
}

/** undefined: Ctrl+C. */
async function waitAtTerminal(
  { progress: stream, stderr, now }: Context,
  registry: RemoteRegistry,
  code: DeviceCode,
  stop: AbortSignal,
): Promise<DeviceToken | undefined> {
  const progress = await startProgress(stream, () => now().getTime(), 'approve');
  try {
    return await waitForToken(registry, code, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
    progress.stop();
    printLines(stderr, ['Nobody was signed in. The code is of no use without this terminal.']);
    return undefined;
  } finally {
    progress.stop();
  }
}

async function keep(
  context: Context,
  signIns: SignIns,
  registry: RemoteRegistry,
  { token, id, expiresAt, email }: DeviceToken,
): Promise<SignIn> {
  const signIn = { url: registry.url, token_id: id, email, expires_at: expiresAt };
  try {
    return await signIns.keep(signIn, token);
  } catch (error) {
    // a token that nobody has must not stay valid
    await endPersonToken(context, { ...registry, token }, signIn);
    throw error;
  }
}

/** Resolves with the path of auth.json. */
async function configureComposer({ environment, workingDirectory, stderr }: Context, url: string, token: string) {
  const path = await writeAuthFile(composerHome(environment, workingDirectory), new URL(url).host, token);
  if ((environment['COMPOSER_AUTH'] ?? '') !== '')
    printWarnings(stderr, ['COMPOSER_AUTH is set too. Composer prefers its entries to those of auth.json.']);
  return path;
}

function summaryOf(
  { url, email, expires_at: end, kept_in: place }: SignIn,
  { role, rights }: DeviceToken,
  { path }: SignIns,
  composer: string | null,
): string[] {
  return [
    `Signed in at ${url} as ${email} (${role}) until ${end.slice(0, 10)}.`,
    ...(rights === undefined ? [] : [rights]),
    `The token is in ${place === 'file' ? path : 'the secret service of this desktop'}.`,
    ...(composer === null ? [] : [`Composer reads it from ${composer}.`]),
  ];
}

function list({ stdout, remarks }: Context, signIns: SignIns, asJson: boolean): number {
  const all = signIns.list();
  const rows = all.map(({ url, email, expires_at: end, kept_in: place }) => [url, email, end.slice(0, 10), place]);
  if (asJson) printJson(stdout, { sign_ins: all });
  else if (all.length > 0) printLines(stdout, formatTable(['REGISTRY', 'PERSON', 'EXPIRES', 'KEPT IN'], rows));
  else printLines(remarks, ['You are signed in nowhere. `libretto login https://packages.example.org` signs you in.']);
  return 0;
}
