// The fast path through node:http. docs/explanation/serving-costs.md lists its gains; without it the server gives the
// same answers.

import type { NodePath } from '../node-path.ts';
import { BodylessRequest } from './bodyless-request.ts';
import { endWhole, takesWhole } from './raw-response-writer.ts';

export const fastPath: NodePath = {
  Request: BodylessRequest,
  rawResponses: { takes: takesWhole, end: endWhole },
};
