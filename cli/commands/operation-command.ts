// The frame of the commands that call operations of a registry: in the data folder of this machine, or with --url in a
// running registry. It prints answers and refusals. A command itself says what it calls, and what its text shows.

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Call, Operation } from '../../proxy/registry/operation.ts';
import { openCommandState, type CommandState, type Opening } from '../compose/command-state.ts';
import type { Config } from '../config/config.ts';
import type { CommandInput } from '../io/command.ts';
import type { TextStream } from '../io/answer-stream.ts';
import type { Context } from '../io/context.ts';
import { oneLine, printJson, printLines } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';
import { NeedsConsole } from '../remote/needs-console.ts';
import { allPages, type ListPage, type PageQuery } from '../remote/all-pages.ts';
import { remoteOf, type Remote } from '../remote/remote.ts';
import type { CommandModule } from './command-parts.ts';
import { rememberedRegistry } from './remembered-registry.ts';

/** What the commands about one noun share. */
export interface Noun<Services> {
  /** `team` */
  readonly name: string;
  /** what a refusal calls one, where the command has another name: `endpoint` */
  readonly thing?: string;
  /** for a command whose --url was another address in former versions: the option that is that address now */
  readonly formerUrl?: string;
  /** false: there is no command `list` */
  readonly hasList?: boolean;
  /** The services of a data folder. */
  readonly compose: (opened: CommandState, context: Context) => MaybeAsync<Composed<Services>>;
  /** default: opens the data folder as it is */
  readonly open?: typeof openCommandState;
  /** Fields whose flag has another name, with what a line about them begins with: `packages` → `--package`. */
  readonly flags?: Readonly<Record<string, string>>;
  /** What is said of a refused field that no flag gives. */
  readonly sentence?: (path: string, fault: string) => string;
}

interface Composed<Services> {
  readonly services: Services;
  readonly close?: () => MaybeAsync<void>;
}

export interface OperationCommand<Services> extends CommandInput {
  readonly context: Context;
  readonly json: boolean;
  /** of the data folder; undefined: the registry is remote */
  readonly config: Config | undefined;
  readonly services: Services | undefined;
  readonly call: <Input, Output>(operation: Operation<Services, Input, Output>, input: Input) => Promise<Output>;
  /** The items of all pages, or the first `most`. `more`: what the list takes beside its page. */
  readonly all: <Input extends PageQuery, Item>(
    operation: Operation<Services, Input, ListPage<Item>>,
    more?: Omit<Input, keyof PageQuery>,
    most?: number,
  ) => Promise<readonly Item[]>;
  /** Prints an answer: as JSON, or the lines of its text. */
  readonly print: <Document extends object>(
    document: Document,
    text: (document: Document) => readonly string[],
  ) => void;
  /** Prints what was changed: as JSON, or the lines of its text, which --quiet leaves out. */
  readonly report: OperationCommand<Services>['print'];
  /**
   * Throws UsageError for a change that takes something away, unless --yes is given; the console of a remote registry
   * asks by itself. `deed`: `remove the team Shop`. `consequence`: a sentence.
   */
  readonly confirm: (deed: string, consequence: string) => void;
}

/** `opening`: as of openCommandState. `work` may resolve with another exit code than 0. */
export function operationCommand<Services>(
  noun: Noun<Services>,
  work: (command: OperationCommand<Services>) => Promise<number | void>,
  opening: Opening = {},
): CommandModule {
  return {
    run: async (context, given) => {
      const registry = await openRegistry(noun, context, given, opening);
      try {
        return (await work(commandOf(registry, context, given))) ?? 0;
      } catch (error) {
        if (error instanceof NeedsConsole) return confirmInConsole(context, given, error);
        throw error instanceof RegistryError && error.status < 500 ? asUsageError(noun, error) : error;
      } finally {
        await registry.close();
      }
    },
  };
}

interface Registry<Services> extends Pick<OperationCommand<Services>, 'call' | 'config' | 'services'> {
  readonly close: () => Promise<void>;
}

async function openRegistry<Services>(
  { compose, formerUrl, open = openCommandState }: Noun<Services>,
  context: Context,
  { flags }: CommandInput,
  opening: Opening,
): Promise<Registry<Services>> {
  if (flags['url'] !== undefined && flags['data'] !== undefined)
    throw new UsageError(
      `${formerUrl === undefined ? '' : `--url names a registry. ${formerUrl} `}Both a registry (--url) and a data folder ` +
        `(--data ${String(flags['data'])}) are named. Leave one of them out.`,
    );
  const named = await namedRegistry(context, flags, formerUrl);
  const remote = named ?? (await rememberedRegistry(context, flags));
  if (remote !== undefined) {
    if (flags['json'] !== true) printLines(context.remarks, [headingOf(remote, named === undefined)]);
    // loaded when needed, because the start of a command counts
    const { callRemotely } = await import('../remote/call-remotely.ts');
    return {
      config: undefined,
      services: undefined,
      call: (operation, input) => callRemotely(remote, operation, input),
      close: async () => undefined,
    };
  }
  const opened = await open(context, flags, opening);
  const { services, close } = await compose(opened, context);
  return {
    config: opened.config,
    services,
    call: (operation, input) => operation.run(services, input, callOf(context)),
    close: async () => {
      await close?.();
      await opened.state.close();
    },
  };
}

/** On the host of the registry. */
function callOf({ actor, now }: Context): Call {
  return { caller: { kind: 'operator', actor }, actor, nowMs: now().getTime(), clientAddress: '' };
}

function headingOf({ url }: Remote, isRemembered: boolean): string {
  return `Registry: ${url}${isRemembered ? ' (you are signed in there; --data names a folder of this machine)' : ''}`;
}

/** As remoteOf; `formerUrl`: the option that --url was in former versions, for a command line of then. */
async function namedRegistry(context: Context, flags: CommandInput['flags'], formerUrl?: string) {
  // a command line of then must not send the token of a registry to a forge
  const token = flags['token'] ?? context.environment['LIBRETTO_TOKEN'] ?? '';
  if (formerUrl !== undefined && flags['url'] !== undefined && token !== '')
    throw new UsageError(`Name the registry of this token by LIBRETTO_URL instead of --url. ${formerUrl}`);
  try {
    return await remoteOf(flags, context);
  } catch (error) {
    if (formerUrl === undefined || flags['url'] === undefined || !(error instanceof UsageError)) throw error;
    // without the cause: the address of then may be a secret
    throw new UsageError(`--url names a registry, at which you are not signed in. ${formerUrl}`);
  }
}

function commandOf<Services>(
  { call, config, services }: Registry<Services>,
  context: Context,
  given: CommandInput,
): OperationCommand<Services> {
  const json = given.flags['json'] === true;
  const printTo =
    (stream: TextStream): OperationCommand<Services>['print'] =>
    (document, text) =>
      json ? printJson(context.stdout, document) : printLines(stream, text(document));
  return {
    ...given,
    context,
    json,
    config,
    services,
    call,
    all: (operation, more, most) => allPages((query) => call(operation, query), more, most),
    print: printTo(context.stdout),
    report: printTo(context.summary),
    confirm: (deed, consequence) => {
      if (config !== undefined && given.flags['yes'] !== true)
        throw new UsageError(`Nothing was changed. To ${deed}, add --yes. ${consequence}`);
    },
  };
}

/** Exit code 2, as for every change that is not confirmed. */
async function confirmInConsole(
  { stdout, stderr, environment }: Context,
  { flags }: CommandInput,
  { message, form }: NeedsConsole,
): Promise<number> {
  printLines(stderr, [message]);
  if (flags['json'] === true) printJson(stdout, { confirmed: false, form });
  else printLines(stdout, [form]);
  if (flags['open'] === true) {
    const { openBrowser } = await import('../io/open-browser.ts');
    if (!(await openBrowser(form, environment))) printLines(stderr, ['This machine has no browser to open it.']);
  }
  return 2;
}

/** The refusal, with one line for each field. */
function asUsageError<Services>(
  { name, thing = name, flags = {}, sentence, hasList = true }: Noun<Services>,
  error: RegistryError,
): UsageError {
  const issues = Array.isArray(error.details['issues']) ? error.details['issues'] : [];
  const lines = (issues as readonly JsonValue[])
    .filter(isJsonObject)
    .map(
      ({ path, message }) =>
        sentence?.(String(path), oneLine(String(message))) ??
        `  ${oneLine(placeOf(String(path), flags))}${oneLine(String(message))}`,
    );
  const advice = hasList && error.code === 'NOT_FOUND' ? ` \`libretto ${name} list\` shows all of them.` : '';
  const heading = sentence === undefined ? [`The ${thing} is refused:`] : [];
  const text = lines.length === 0 ? `${error.message}${advice}` : [...heading, ...lines].join('\n');
  return new UsageError(text, { cause: error });
}

/** `claims.sub` → `--claim sub: `; an index says nothing to a reader. */
function placeOf(path: string, flags: Readonly<Record<string, string>>): string {
  if (path === '') return '';
  const [field = '', ...rest] = path.split('.');
  const part = rest.filter((one) => !/^\d+$/.test(one)).map((one) => ` ${one}`);
  return `${flags[field] ?? `--${field.replaceAll('_', '-')}`}${part.join('.')}: `;
}
