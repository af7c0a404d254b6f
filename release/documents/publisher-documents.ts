// The documents of the commands for trusted publishers.

import { z } from 'zod';
import { deletePublisher, updatePublisher } from '../../proxy/publishers/operations.ts';
import { idTokenExplanation, publisherSchema } from '../../proxy/publishers/records/publisher-schema.ts';
import { inConsole } from './parts.ts';

export const publisherDocuments = {
  'publisher add': z.union([publisherSchema, inConsole]),
  'publisher list': z.object({ publishers: z.array(publisherSchema).describe('oldest first') }),
  'publisher show': publisherSchema,
  'publisher update': z.union([updatePublisher.answer, inConsole]),
  'publisher remove': z.union([deletePublisher.answer, inConsole]),
  'publisher explain': idTokenExplanation,
};
