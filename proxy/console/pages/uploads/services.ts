// What the pages about uploads need.

import type { ArtifactServices } from '../../../artifacts/operations.ts';
import type { Uploads } from '../../../artifacts/uploads.ts';
import type { StateStore } from '../../../core/state/state-store.ts';

export interface UploadPageServices extends ArtifactServices {
  readonly uploads: Uploads;
  readonly state: Pick<StateStore, 'get'>;
}
