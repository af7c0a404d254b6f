// The frame of each command about notifications: opens state and services, and explains refusals.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Sealer } from '../../../proxy/keys/sealer.ts';
import { endpointDocument, type EndpointDocument } from '../../../proxy/notifications/endpoints/endpoint-document.ts';
import type { Endpoints } from '../../../proxy/notifications/endpoints/endpoints.ts';
import type { EndpointRecord } from '../../../proxy/notifications/model/endpoint.ts';
import { createCatalogue } from '../../../proxy/packages/catalogue.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { createLocalPublishedFiles } from '../../../proxy/core/tree/published-files.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeNotifying, type Notifying } from '../../compose/notifying.ts';
import type { Config } from '../../config/config.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';

export interface NotifyCommand {
  readonly context: Context;
  readonly given: CommandInput;
  readonly config: Config;
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly notifying: Notifying;
  /** on behalf of the user of this command line */
  readonly endpoints: Endpoints;
  /** the first operand */
  readonly id: string;
  readonly json: boolean;
  readonly show: (record: EndpointRecord) => Promise<EndpointDocument>;
}

/** Runs `work` and resolves with its exit code. `opening`: as of openCommandState. */
export async function runNotifyCommand(
  context: Context,
  given: CommandInput,
  work: (command: NotifyCommand) => Promise<number>,
  opening: Opening = {},
): Promise<number> {
  // `notify test --mail` names a person, and the setting of this name the mail server
  const { mail: _, ...flags } = given.flags;
  const { config, state } = await openCommandState(context, flags, opening);
  const { sealer } = composeKeys(config, context);
  const catalogue = createCatalogue(createLocalPublishedFiles(config.data.value));
  const notifying = composeNotifying(config, context, { state, sealer, catalogue });
  try {
    return await work({
      context,
      given,
      config,
      state,
      sealer,
      notifying,
      endpoints: notifying.endpointsOf(context.actor),
      id: given.operands[0] ?? '',
      json: given.flags['json'] === true,
      show: (record) => endpointDocument(state, record, context.now().getTime()),
    });
  } catch (error) {
    throw error instanceof RegistryError ? asNotifyRefusal(error) : error;
  } finally {
    notifying.close();
    await state.close();
  }
}

/** The refusal, with one line for each field. */
function asNotifyRefusal(error: RegistryError): UsageError {
  const issues = Array.isArray(error.details['issues']) ? error.details['issues'] : [];
  const lines = (issues as readonly { readonly path?: unknown; readonly message?: unknown }[]).map(
    ({ path, message }) => `  ${path === '' ? '' : `${String(path)}: `}${String(message)}`,
  );
  const advice = error.code === 'NOT_FOUND' ? ' `libretto notify list` shows all of them.' : '';
  const text = lines.length === 0 ? `${error.message}${advice}` : ['The endpoint is refused:', ...lines].join('\n');
  return new UsageError(text, { cause: error });
}
