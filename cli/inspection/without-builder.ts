// The answers of a server that reads its packages from an origin: the folder of the builder is on another host.

import { RegistryError } from '../../build/contract/errors.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';

export const withoutBuilder: Pick<Inspection, 'publications' | 'why' | 'comparison' | 'rollbacksOf'> = {
  publications: { list: refuse, get: refuse, held: refuse },
  why: { explain: refuse, causes: refuse },
  comparison: { compare: refuse },
  rollbacksOf: () => ({ preview: refuse, rollBack: refuse, lift: refuse }),
};

function refuse(): Promise<never> {
  return Promise.reject(
    new RegistryError('NOT_AVAILABLE', {
      message:
        'This server reads its packages from an origin, and has no folder of the builder. Ask on the host that builds ' +
        'the packages.',
    }),
  );
}
