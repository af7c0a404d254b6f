// The documents of the commands for trusted publishers.

import { z } from 'zod';
import { idTokenExplanation, publisherSchema } from '../../proxy/manage/schemas/publisher.ts';
import * as part from './parts.ts';

const { text } = part;

export const publisherDocuments = {
  'publisher add': publisherSchema,
  'publisher list': z.object({ publishers: z.array(publisherSchema).describe('oldest first') }),
  'publisher show': publisherSchema,
  'publisher update': publisherSchema.extend({
    revoked_tokens: z.int().describe('how many tokens that it had given out are revoked'),
  }),
  'publisher remove': z.object({ id: text('the id of the publisher') }),
  'publisher explain': idTokenExplanation,
};
