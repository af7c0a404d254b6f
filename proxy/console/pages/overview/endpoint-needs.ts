// The notification endpoints that need a person's attention. Pure.

import type { EndpointProblem } from '../../../notifications/endpoints/endpoint-problems.ts';

const titles: Readonly<Record<EndpointProblem['kind'], string>> = {
  gone: 'wants no more notifications',
  'token ended': 'hears of nothing: its token ended',
  paused: 'does not get its notifications',
};

export function endpointNeed({ endpoint: { id, name }, kind, message }: EndpointProblem): {
  readonly kind: 'warn';
  readonly title: string;
  readonly detail: string;
  readonly to: string;
} {
  return { kind: 'warn', title: `${name} ${titles[kind]}`, detail: message, to: `/notifications/${id}` };
}
