// The pages about the audit log, for admins.

import type { StateStore } from '../../../core/state/state-store.ts';
import type { Pages } from '../../frame/pages.ts';
import { registerAuditExport } from './audit-export.ts';
import { registerAuditList } from './audit-list.tsx';
import { registerVerification } from './verify.tsx';

export interface AuditPageServices {
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export function registerAuditPages(pages: Pages, { state }: AuditPageServices): void {
  registerAuditList(pages, state);
  registerAuditExport(pages, state);
  registerVerification(pages, state);
}
