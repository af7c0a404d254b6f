// Why versions of other registries are held back, in words. Pure.

import type { HeldBack } from '../../../mirror/catalogue/cached-summary.ts';
import { counted } from '../../components/quantity.ts';

const reasons: Readonly<Record<NonNullable<HeldBack['setting']>, string>> = {
  'mirroring.licenses': 'by licence',
  'mirroring.abandoned': 'because the package is abandoned',
  'mirroring.minimum_age': 'because of the minimum age',
  purged: 'because they were purged here',
};

/** `3 versions by licence` */
export function heldBackPhrase({ setting, count }: HeldBack): string {
  const reason = setting === null ? 'because Composer could not load them' : reasons[setting];
  return `${counted(count, 'version')} ${reason}`;
}

/** The case of the newest version, in a sentence. */
export function newestCase({ version, because }: HeldBack): string {
  return `${version}: ${because.replace(/\.$/, '')}.`;
}
