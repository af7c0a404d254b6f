// The frame of each command about trusted publishers: opens state and services, and explains refusals.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { PublisherRecord } from '../../../proxy/publishers/model/publisher.ts';
import { publisherDocument, type PublisherDocument } from '../../../proxy/publishers/records/publisher-document.ts';
import type { Publishers } from '../../../proxy/publishers/records/publishers.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composePublishing, type Publishing } from '../../compose/publishing.ts';
import type { Config } from '../../config/config.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';

export interface PublisherCommand {
  readonly context: Context;
  readonly given: CommandInput;
  readonly config: Config;
  readonly publishing: Publishing;
  /** on behalf of the user of this command line */
  readonly publishers: Publishers;
  /** the first operand */
  readonly id: string;
  readonly json: boolean;
  readonly show: (record: PublisherRecord) => Promise<PublisherDocument>;
}

/** Runs `work` and resolves with its exit code. `opening`: as of openCommandState. */
export async function runPublisherCommand(
  context: Context,
  given: CommandInput,
  work: (command: PublisherCommand) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  const { config, state } = await openCommandState(context, given.flags, opening);
  const { publishing, close } = composePublishing(config, context, { state });
  try {
    return await work({
      context,
      given,
      config,
      publishing,
      publishers: publishing.publishersOf(context.actor),
      id: given.operands[0] ?? '',
      json: given.flags['json'] === true,
      show: (record) => publisherDocument(state, publishing.issuers, record, context.now().getTime()),
    });
  } catch (error) {
    throw error instanceof RegistryError ? asPublisherRefusal(error) : error;
  } finally {
    close();
    await state.close();
  }
}

/** Flags whose name is not that of the field. */
const flags: Readonly<Record<string, string>> = {
  packages: '--package',
  constraints: '--package',
  claims: '--claim',
  token_minutes: '--minutes',
  exchanges_per_hour: '--exchanges',
};

/** The refusal, with one line for each flag. */
function asPublisherRefusal(error: RegistryError): UsageError {
  const issues = Array.isArray(error.details['issues']) ? error.details['issues'] : [];
  const lines = (issues as readonly { readonly path?: unknown; readonly message?: unknown }[]).map(
    ({ path, message }) => `  ${flagOf(String(path))}${inFlags(String(message))}`,
  );
  const advice = error.code === 'NOT_FOUND' ? ' `libretto publisher list` shows all of them.' : '';
  const text = lines.length === 0 ? `${error.message}${advice}` : ['The publisher is refused:', ...lines].join('\n');
  return new UsageError(text, { cause: error });
}

/** The service writes for the management API. */
function inFlags(message: string): string {
  return message
    .replace('or null to learn them', 'or remove them (--clear ids) to learn them')
    .replace(/\b(rules?) in claims\b/, '$1 with --claim')
    .replace(/\b(?:repository_id|owner_id)\b/g, (field) => `--${field.replaceAll('_', '-')}`);
}

/** `claims.sub` → `--claim sub: ` */
function flagOf(path: string): string {
  if (path === '') return '';
  const [field = '', ...rest] = path.split('.');
  const part = rest.length === 0 || field === 'packages' ? '' : ` ${rest.join('.')}`;
  return `${flags[field] ?? `--${field.replaceAll('_', '-')}`}${part}: `;
}
