// The frame of each command about the policy: opens state and services, reads the given file, and explains refusals.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PolicyAdmin } from '../../../proxy/policy/admin/policy-admin.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import type { Config } from '../../config/config.ts';
import { jsonFault } from '../../config/json-fault.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { describeReadFault } from '../../io/read-fault.ts';
import { UsageError } from '../../io/usage-error.ts';
import { openLocalPolicyAdmin, type LocalPolicyAdmin } from '../../policy-admin/local-policy-admin.ts';
import { issueLine } from '../../text/policy-text.ts';

export interface PolicyCommand {
  readonly context: Context;
  readonly config: Config;
  readonly state: StateStore;
  readonly policy: PolicyAdmin;
  readonly json: boolean;
}

/** Runs `work` and resolves with its exit code. `opening`: as of openCommandState. */
export async function runPolicyCommand(
  context: Context,
  given: CommandInput,
  work: (command: PolicyCommand) => Promise<number>,
  opening: Opening = { area: 'all' },
): Promise<number> {
  const { config, state } = await openCommandState(context, given.flags, opening);
  let here: LocalPolicyAdmin | undefined;
  try {
    here = await openLocalPolicyAdmin(config, context, state);
    return await work({
      context,
      config,
      state,
      policy: here.policy,
      json: given.flags['json'] === true,
    });
  } catch (error) {
    throw asPolicyRefusal(error);
  } finally {
    await here?.close();
    await state.close();
  }
}

/** The JSON of a file. `given`: its path, or - for standard input. `fault`: why it is no JSON. Throws UsageError. */
export function readPolicyInput(
  given: string,
  { workingDirectory }: Pick<Context, 'workingDirectory'>,
): { readonly json: JsonValue } | { readonly fault: string } {
  const [file, name] = given === '-' ? [0, 'Standard input'] : [resolve(workingDirectory, given), given];
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw new UsageError(
      `${name} cannot be read: ${describeReadFault(cause)}. Name a file with a policy, or - for standard input.`,
      { cause },
    );
  }
  const fault = jsonFault(text);
  return fault === undefined ? { json: JSON.parse(text) as JsonValue } : { fault: fault.replace(/\.$/, '') };
}

/** As readPolicyInput; throws UsageError for what is no JSON, too. */
export function policyInput(given: string, context: Pick<Context, 'workingDirectory'>): JsonValue {
  const read = readPolicyInput(given, context);
  if ('json' in read) return read.json;
  throw new UsageError(`${given === '-' ? 'Standard input' : given} ${read.fault}.`);
}

/** Throws SETTING_FIXED for a policy in a file. `advice`: a sentence. */
export function refusePolicyFile({ policy: { value: file } }: Config, advice: string): void {
  if (file === undefined) return;
  const message = `The policy is in the file ${file}, which this command does not change. ${advice}`;
  throw new RegistryError('SETTING_FIXED', { message });
}

/** The refusal with one line for each fault. */
function asPolicyRefusal(error: unknown): unknown {
  if (!(error instanceof RegistryError) || error.status >= 500) return error;
  const { issues } = error.details;
  const lines = Array.isArray(issues)
    ? (issues as readonly JsonValue[])
        .filter(isJsonObject)
        .map(({ path, message }) => `  ${issueLine({ path: String(path), message: String(message) })}`)
    : [];
  const text = lines.length === 0 ? error.message : ['The policy is refused:', ...lines].join('\n');
  return new UsageError(text, { cause: error });
}
