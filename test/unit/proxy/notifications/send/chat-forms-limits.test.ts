// Tests that a message of chat services keeps to the limits of each service, however long the texts of its events are.
// A longer message would be refused as a whole.

import { expect, it } from 'vitest';
import { eventText, type EventText } from '../../../../../proxy/events/event-text.ts';
import { chatMessage, mostInMessage, type ChatForm } from '../../../../../proxy/notifications/send/chat-forms.ts';

const hostile = (letter: string): EventText =>
  eventText({
    type: 'advisory.published',
    data: {
      package: 'acme/tool',
      title: letter.repeat(5000),
      affected_versions: letter.repeat(5000),
      cve: letter.repeat(5000),
      severity: letter.repeat(5000),
      url: 'https://packages.test/ui/packages/acme/tool',
    },
  });
const full = (letter: string): readonly EventText[] => Array.from({ length: mostInMessage }, () => hostile(letter));

it('no character is cut in two', () => {
  for (const form of ['slack', 'teams', 'mattermost', 'discord', 'google-chat'] as const)
    for (const letters of ['😀', 'x😀', 'xx😀', '*😀'])
      expect(JSON.stringify(chatMessage(form, [hostile(letters)])), form).not.toMatch(/\\ud[89a-f]/);
});

interface Embed {
  readonly title: string;
  readonly description?: string;
}

it.each(['x', '&', '"', '*', '\\', '<', 'ä', '日', '😀'])('ten events with long texts of %s fit', (letter) => {
  const bytesOf = (form: ChatForm): number => Buffer.byteLength(JSON.stringify(chatMessage(form, full(letter))));
  // learn.microsoft.com: a message has at most 28 KB
  expect(bytesOf('teams')).toBeLessThan(28_000);
  // developers.google.com/chat: at most 32 000 bytes
  expect(bytesOf('google-chat')).toBeLessThan(32_000);
  // docs.mattermost.com: a post has at most 16 383 letters
  expect(String(chatMessage('mattermost', full(letter))['text']).length).toBeLessThanOrEqual(16_383);
  // docs.slack.dev: the text of a section has at most 3000 letters
  const { blocks } = chatMessage('slack', full(letter)) as unknown as { blocks: { text: { text: string } }[] };
  for (const { text } of blocks) expect(text.text.length).toBeLessThanOrEqual(3000);
  // discord.com/developers: all embeds together have at most 6000 letters
  const { embeds } = chatMessage('discord', full(letter)) as unknown as { embeds: Embed[] };
  const letters = embeds.map(({ title, description = '' }) => title.length + description.length);
  expect(letters.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(6000);
});
