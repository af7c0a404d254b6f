// Estimates the size of a JSON value as text, without writing the text. Pure.

import { isJsonObject, type JsonValue } from '../../contract/json.ts';

/** The size of a member, bytes, in addition to its name and its value. */
export const bytesOfMember = 16;
/** The limit for the record of one version, bytes. Real records have a few thousand characters. */
export const mostOfRecord = 1024 ** 2;

/** Stops at `most`: for a heavier value it returns any number above `most`, and reads no further. */
export function weightOf(value: JsonValue | undefined, most: number): number {
  const open: (JsonValue | undefined)[] = [value];
  let weight = 0;
  while (open.length > 0 && weight <= most) {
    const one = open.pop();
    if (typeof one === 'string') {
      weight += one.length;
    } else if (Array.isArray(one)) {
      weight += bytesOfMember * (one.length + 1);
      if (weight <= most) for (const element of one as readonly JsonValue[]) open.push(element);
    } else if (isJsonObject(one)) {
      for (const name in one) {
        weight += bytesOfMember + name.length;
        if (weight > most) break;
        open.push(one[name]);
      }
    } else {
      weight += bytesOfMember;
    }
  }
  return weight;
}
