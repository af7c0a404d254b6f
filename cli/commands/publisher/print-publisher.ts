// Prints a publisher that was made or changed, and what would keep its jobs from an exchange.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PublisherRecord } from '../../../proxy/publishers/model/publisher.ts';
import type { PublisherDocument } from '../../../proxy/publishers/records/publisher-document.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { printJson, printLines, printWarnings } from '../../io/output.ts';
import { describePublisher } from '../../text/publisher-text.ts';
import type { PublisherCommand } from './publisher-command.ts';

export async function printPublisher(
  { context, config, json, show }: PublisherCommand,
  record: PublisherRecord,
  /** more members of the JSON */
  more: JsonObject = {},
): Promise<PublisherDocument> {
  const document = await show(record);
  if (json) printJson(context.stdout, { ...document, ...more });
  else printLines(context.summary, describePublisher(document));
  if (publicUrlOf(config) === undefined)
    printWarnings(context.stderr, [
      'This registry does not know its own address, so no job can exchange yet. Set "publicUrl" in libretto.json, or ' +
        'LIBRETTO_PUBLIC_URL, to the address that clients use.',
    ]);
  return document;
}
