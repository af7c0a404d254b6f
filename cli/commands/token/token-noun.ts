// What all commands about tokens share: their services in a data folder, and the words of a refusal.

import { createLocalPublishedFiles } from '../../../proxy/core/tree/published-files.ts';
import { readUses } from '../../../proxy/core/tokens/token-uses.ts';
import type { TokenServices } from '../../../proxy/tokens/operations.ts';
import { composeTokens } from '../../compose/tokens.ts';
import { withSettingsOf } from '../../state/state-settings.ts';
import type { Noun } from '../operation-command.ts';
import { flagOfLimit } from './token-limit-flags.ts';

export const tokenNoun: Noun<TokenServices> = {
  name: 'token',
  sentence: (path, fault) => `${flagOfLimit(path)}${fault}`,
  compose: ({ config, state }, context) => ({
    services: {
      tokensOf: (actor) => composeTokens(state, { ...context, actor }),
      defaultLimits: async () => {
        const { limitsRead, limitsWrite } = await withSettingsOf(state, config);
        return { read: limitsRead.value, write: limitsWrite.value };
      },
      uses: { of: (ids) => readUses(state, ids) },
      published: createLocalPublishedFiles(config.data.value),
    },
  }),
};
