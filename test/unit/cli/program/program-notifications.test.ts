// Tests that the help of `libretto notify` names every event and every form, as the server knows them.

import { expect, it } from 'vitest';

import type { ProcessContext } from '../../../../cli/io/context.ts';
import { createProgram } from '../../../../cli/program/program.ts';
import { eventTypes } from '../../../../proxy/events/registry-event.ts';
import { defaultEvents } from '../../../../proxy/notifications/endpoints/parse-endpoint.ts';
import { endpointForms, signatureSchemes } from '../../../../proxy/notifications/model/endpoint.ts';
import { listCommands } from '../../../util/command-reference.ts';

const commands = listCommands(createProgram({} as ProcessContext, () => undefined));

it.each(['notify add', 'notify update'])('%s names every event, the default ones first', (path) => {
  const described = describeOption(path, '--event');
  const named = [...described.matchAll(/[a-z]+(?:\.[a-z]+)+/g)].map(([word]) => word);
  expect(named).toEqual(eventTypes);
  expect(described).toContain(`${defaultEvents.join(', ')} (these two`);
});

it('notify add names every form and every signature', () => {
  for (const form of endpointForms) expect(describeOption('notify add', '--form')).toContain(form);
  for (const scheme of signatureSchemes) expect(describeOption('notify add', '--signature')).toContain(`${scheme}:`);
});

function describeOption(path: string, long: string): string {
  const found = commands.find((one) => one.path === path)?.command.options.find((option) => option.long === long);
  return found?.description ?? '';
}
