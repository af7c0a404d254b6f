// Explains versions for the server, as `libretto why` does: reads five small files of the data folder.

import { RegistryError } from '../../build/contract/errors.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { explain } from '../../build/inspect/why.ts';
import { contentKey } from '../../build/contract/withdrawal-cause.ts';
import { readWithdrawalCauses } from '../../build/inspect/withdrawal-causes.ts';
import { describeSources } from '../../build/scan/configured.ts';
import type { WhyReader } from '../../proxy/inspection/why-reader.ts';
import { shownAnswer, shownCause } from '../builds/shown-sources.ts';
import { configuredSources } from '../builds/build-request.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

export function createWhyReader(config: Config, { workingDirectory }: Pick<Context, 'workingDirectory'>): WhyReader {
  const dataDirectory = config.data.value;
  const described = describeSources(configuredSources(config) ?? [], workingDirectory, dataDirectory);
  return {
    explain: (name, version) =>
      readable(async () => shownAnswer(await explain({ dataDirectory, name, version, described }), dataDirectory)),
    causes: (name, contents) =>
      readable(async () => {
        const causes = await readWithdrawalCauses(dataDirectory, name, contents);
        return contents.map((content) => {
          const cause = causes.get(contentKey(content));
          return cause === undefined ? undefined : shownCause(cause, dataDirectory);
        });
      }),
  };
}

async function readable<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof BuildRefused) throw new RegistryError('TREE_DAMAGED', { message: cause.message, cause });
    throw cause;
  }
}
