// The digest that tells whether the settings of a build are those of the last publication.

import type { DocumentSettings } from '../documents/document-settings.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { memoryFormat } from './source-memory.ts';

/**
 * Moves when the same records would give other bytes, or more is kept of each version: then everything is compared
 * again.
 */
export const documentRecipe = 3;

export function digestSettings(settings: DocumentSettings): string {
  return digestOf(JSON.stringify([documentRecipe, memoryFormat, settings]));
}
