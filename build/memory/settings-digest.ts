// The digest by which a build detects that its settings differ from those of the last publication.

import type { DocumentSettings } from '../documents/document-settings.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { memoryFormat } from './source-memory.ts';

/**
 * Increased when the same records would give other bytes, or when more facts of each version are stored: the next build
 * then compares everything again.
 */
export const documentRecipe = 3;

export function digestSettings(settings: DocumentSettings): string {
  return digestOf(JSON.stringify([documentRecipe, memoryFormat, settings]));
}
