// Parses the flags of the commands about notification endpoints. The address of a chat service is a secret, so that it
// may come from a file or from standard input.

import type { EndpointPatch } from '../../../proxy/notifications/endpoints/endpoints.ts';
import type { EndpointDraft, EndpointFields } from '../../../proxy/notifications/endpoints/parse-endpoint.ts';
import {
  endpointForms,
  signatureSchemes,
  type EndpointForm,
  type SignatureScheme,
} from '../../../proxy/notifications/model/endpoint.ts';
import type { CommandInput } from '../../io/command.ts';
import { instantFlag } from '../../io/instant-flag.ts';
import { firstLine, secretIn } from '../../io/secret-file.ts';
import { UsageError } from '../../io/usage-error.ts';

type Flags = CommandInput['flags'];

/** `isLink`: a form of the console asks for the address. Throws UsageError. */
export function endpointDraft(
  { operands, flags }: CommandInput,
  workingDirectory: string,
  isLink: boolean,
): EndpointDraft {
  const form = choiceOf<EndpointForm>('--form', endpointForms, flags['form']);
  const signature = choiceOf<SignatureScheme>('--signature', signatureSchemes, flags['signature']);
  if (signature !== undefined && form !== undefined && form !== 'standard')
    throw new UsageError('--signature belongs to the form standard: the messages of chat services are not signed.');
  const url = addressOf(operands[0], flags, workingDirectory) ?? (isLink ? '' : undefined);
  if (url === undefined)
    throw new UsageError(
      'The address is missing. Write it before the options, as in `libretto notify add https://…`; or use ' +
        '--url-stdin or --url-file FILE.',
    );
  return { ...fieldsOf(flags), url, form, signature };
}

/** Throws UsageError. */
export function endpointPatch(flags: Flags, workingDirectory: string): EndpointPatch {
  const { enable, disable } = flags;
  if (enable === true && disable === true) throw new UsageError('Use --enable or --disable, not both.');
  if (flags['package'] !== undefined && flags['packages'] === false)
    throw new UsageError('Use --package or --no-packages, not both.');
  const isAsked = enable === true || disable === true;
  return {
    ...fieldsOf(flags),
    url: addressOf(flags['to'], flags, workingDirectory),
    enabled: isAsked ? enable === true : undefined,
  };
}

/** `false` is the value of a flag that begins with `--no-`: it clears the field. */
function fieldsOf({ name, event, package: patterns, packages, stability, view }: Flags): Omit<EndpointFields, 'url'> {
  return {
    name: name as string | undefined,
    events: event as readonly string[] | undefined,
    packages: packages === false ? null : (patterns as readonly string[] | undefined),
    stability: stability === false ? null : (stability as string | undefined),
    view: view === false ? null : (view as string | undefined),
  };
}

/** `argument`: the address on the command line. Reads standard input once. */
function addressOf(argument: unknown, { urlStdin, urlFile }: Flags, workingDirectory: string): string | undefined {
  if ([argument, urlStdin, urlFile].filter((value) => value !== undefined).length > 1)
    throw new UsageError('Give the address once: on the command line, with --url-stdin, or with --url-file FILE.');
  const file = urlStdin === true ? '-' : urlFile;
  if (file !== undefined) return firstLine(secretIn(file, workingDirectory, 'address'), 'address');
  return argument === undefined ? undefined : String(argument);
}

function choiceOf<Choice extends string>(flag: string, choices: readonly Choice[], given: unknown): Choice | undefined {
  const found = choices.find((one) => one === given);
  if (given === undefined || found !== undefined) return found;
  throw new UsageError(`${flag} is ${JSON.stringify(given)}; allowed: ${choices.join(', ')}.`);
}

/** undefined: nothing is sent again. Throws UsageError. */
export function replayRange(flags: Flags) {
  const text = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const event = text('replay');
  const sinceMs = instantFlag('replay-since', text('replaySince'));
  const untilMs = instantFlag('replay-until', text('replayUntil'));
  if (untilMs !== undefined && sinceMs === undefined)
    throw new UsageError('--replay-until belongs to --replay-since, which names the beginning.');
  if (event !== undefined && sinceMs !== undefined)
    throw new UsageError('Use --replay for one event, or --replay-since for a range of time: not both.');
  if (sinceMs !== undefined && untilMs !== undefined && untilMs < sinceMs)
    throw new UsageError('--replay-until is before --replay-since. Name a later time.');
  if (event === undefined && sinceMs === undefined) return undefined;
  return { event, since: instant(sinceMs), until: instant(untilMs) };
}

function instant(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
