// One entry of `warnings` and `infos`: a text for Composer users, and the versions of Composer that show it.

import { isJsonObject } from '../../build/contract/json.ts';
import {
  isNoticeMessage,
  isNoticeVersions,
  longestNotice,
  type ClientNotice,
} from '../../proxy/settings/client-notice.ts';
import { complaintOf, meant, text, type ReportFault, type Shape } from './shape.ts';
import { plainText } from './text-schemas.ts';

const versionsAllowed = 'a constraint for the version of Composer, such as "<2.5"';
const versions = text({
  pattern: plainText,
  allowed: versionsAllowed,
  description: 'a constraint for the version of Composer, such as <2.5',
  objection: (given) => (isNoticeVersions(given) ? undefined : complaintOf(given, versionsAllowed)),
});
const messageAllowed = `one line of at most ${longestNotice} characters`;
const message = text({
  pattern: plainText,
  allowed: messageAllowed,
  description: 'the text for users of Composer',
  objection: (given) => (isNoticeMessage(given) ? undefined : complaintOf(given, messageAllowed)),
});

const fields = { versions, message };

export const noticeShape: Shape<ClientNotice> = {
  schema: {
    type: 'object',
    required: Object.keys(fields),
    properties: { versions: versions.schema, message: message.schema },
    additionalProperties: false,
  },
  read(value, at, refuse) {
    if (!isJsonObject(value)) {
      refuse(at, complaintOf(value, 'an object such as {"versions": "<2.5", "message": "Please update Composer."}'));
      return undefined;
    }
    const strange = Object.keys(value).filter((field) => !Object.hasOwn(fields, field));
    for (const field of strange)
      refuse(
        `${at}.${field}`,
        `is not a field of a notice${meant(field, Object.keys(fields)) || '; it has versions and message.'}`,
      );
    const [found, said] = [
      readField('versions', versions, value['versions'], at, refuse),
      readField('message', message, value['message'], at, refuse),
    ];
    return strange.length > 0 || found === undefined || said === undefined
      ? undefined
      : { versions: found, message: said };
  },
};

function readField(
  field: string,
  shape: Shape<string>,
  value: Parameters<Shape<string>['read']>[0] | undefined,
  at: string,
  refuse: ReportFault,
): string | undefined {
  if (value !== undefined) return shape.read(value, `${at}.${field}`, refuse);
  refuse(at, `has no ${field}.`);
  return undefined;
}
