// Explains versions for the server, as `libretto why` does: reads five small files of the data folder.

import { RegistryError } from '../../build/contract/errors.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { explain } from '../../build/inspect/why.ts';
import { describeSources } from '../../build/scan/configured.ts';
import type { WhyReader } from '../../proxy/inspection/why-reader.ts';
import { shownAnswer } from '../builds/shown-sources.ts';
import { configuredSources } from '../builds/build-request.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';

export function createWhyReader(config: Config, { workingDirectory }: Pick<Context, 'workingDirectory'>): WhyReader {
  const dataDirectory = config.data.value;
  const described = describeSources(configuredSources(config) ?? [], workingDirectory, dataDirectory);
  return {
    explain: async (name, version) => {
      try {
        return shownAnswer(await explain({ dataDirectory, name, version, described }), dataDirectory);
      } catch (cause) {
        if (cause instanceof BuildRefused) throw new RegistryError('TREE_DAMAGED', { message: cause.message, cause });
        throw cause;
      }
    },
  };
}
