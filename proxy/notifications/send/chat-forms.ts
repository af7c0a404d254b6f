// The messages of chat services: events in the form that each service takes at an incoming webhook. Texts come from
// packages and people, so that each form escapes what would be markup, a link or a mention there. Pure.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { EventText } from '../../events/event-text.ts';
import type { EndpointForm } from '../model/endpoint.ts';

export type ChatForm = Exclude<EndpointForm, 'standard'>;

/** So many events fit into one message of every service. */
export const mostInMessage = 10;

/** `texts`: 1 to `mostInMessage`. */
export function chatMessage(form: ChatForm, texts: readonly EventText[]): JsonObject {
  return messages[form](texts.map(brief));
}

const mostLetters = 150;
const mostLines = 3;

/** Services refuse a long message as a whole, so that one long text would take the other events with it. */
function brief({ title, lines, ...rest }: EventText): EventText {
  const cut = (text: string): string => (text.length > mostLetters ? `${firstOf(text, mostLetters - 1)}…` : text);
  return { ...rest, title: cut(title), lines: lines.slice(0, mostLines).map(cut) };
}

/** Half of a character, as an emoji has two, would make the message invalid. */
function firstOf(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** The control characters of HTML, and of Slack (docs.slack.dev, formatting message text), whose mentions need them. */
const slackText = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** For an attribute of HTML. */
const attribute = (value: string): string => slackText(value).replaceAll('"', '&quot;');

/** A zero-width space behind `@` keeps `@channel` from calling everybody. */
const markdownText = (value: string): string =>
  value.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~:]/g, String.raw`\$&`).replaceAll('@', '@\u200b');

const red = 0xd1242f;
const blue = 0x2f6feb;

const messages: Readonly<Record<ChatForm, (texts: readonly EventText[]) => JsonObject>> = {
  slack: (texts) => ({
    text: texts.map(({ title }) => slackText(title)).join('\n'),
    // otherwise Slack makes links of addresses, and mentions of names
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: texts.map((one) => ({
      type: 'section',
      text: { type: 'mrkdwn', verbatim: true, text: slackSection(one) },
    })),
  }),
  mattermost: (texts) => ({ username: 'Libretto', text: texts.map(markdownSection).join('\n\n') }),
  discord: (texts) => ({
    username: 'Libretto',
    allowed_mentions: { parse: [] },
    embeds: texts.map(({ title, lines, url, isBad }) => ({
      title,
      ...(lines.length === 0 ? {} : { description: firstOf(lines.map(markdownText).join('\n'), 400) }),
      ...(url === null ? {} : { url }),
      color: isBad ? red : blue,
    })),
  }),
  teams: (texts) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: texts.flatMap(teamsBlocks),
        },
      },
    ],
  }),
  'google-chat': (texts) => ({
    cardsV2: [
      {
        cardId: 'libretto',
        card: {
          header: { title: 'Libretto' },
          sections: texts.map((one) => ({ widgets: [{ textParagraph: { text: htmlSection(one) } }] })),
        },
      },
    ],
  }),
};

function slackSection({ title, lines, url, isBad }: EventText): string {
  const head =
    url === null ? `*${slackText(title)}*` : `<${slackText(url).replaceAll('|', '%7C')}|${slackText(title)}>`;
  return firstOf([`${isBad ? ':warning: ' : ''}${head}`, ...lines.map(slackText)].join('\n'), 3000);
}

function markdownSection({ title, lines, url, isBad }: EventText): string {
  const head = url === null ? `**${markdownText(title)}**` : `[${markdownText(title)}](${markdownUrl(url)})`;
  return [`${isBad ? ':warning: ' : ''}${head}`, ...lines.map(markdownText)].join('\n');
}

/** A bracket would end the address of the link. */
function markdownUrl(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll(' ', '%20');
}

/** Runs of text, in which nothing is markup (adaptivecards.io, RichTextBlock). */
function teamsBlocks({ title, lines, url, isBad }: EventText): JsonObject[] {
  const head = {
    type: 'TextRun',
    text: title,
    weight: 'bolder',
    color: isBad ? 'attention' : 'default',
    ...(url === null ? {} : { selectAction: { type: 'Action.OpenUrl', url } }),
  };
  const more = lines.map((line) => ({
    type: 'RichTextBlock',
    spacing: 'none',
    inlines: [{ type: 'TextRun', text: line }],
  }));
  return [{ type: 'RichTextBlock', inlines: [head] }, ...more];
}

function htmlSection({ title, lines, url }: EventText): string {
  const head = url === null ? `<b>${slackText(title)}</b>` : `<a href="${attribute(url)}">${slackText(title)}</a>`;
  return [head, ...lines.map(slackText)].join('<br>');
}
