// The fast path through node:http. What it saves is in docs/explanation/serving-costs.md; without it the server answers the same.

import type { NodePath } from '../node-path.ts';
import { BodylessRequest } from './bodyless-request.ts';
import { endWhole, takesWhole } from './raw-response-writer.ts';

export const fastPath: NodePath = {
  Request: BodylessRequest,
  rawResponses: { takes: takesWhole, end: endWhole },
};
