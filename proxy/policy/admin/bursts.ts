// Many releases of one vendor within minutes: a warning to those who decide about one of them. It holds nothing.

import { groupBy } from '../../../build/shared/collections/group-by.ts';

const many = 10;
const nearMs = 600_000;

/** `arrived`: when releases of a package arrived, epoch milliseconds. */
export function withBursts<
  Held extends { readonly name: string; readonly arrivedMs: number; readonly because: string },
>(
  releases: readonly Held[],
  arrived: readonly { readonly name: string; readonly arrivals: readonly number[] }[],
): readonly Held[] {
  const vendorOf = ({ name }: { readonly name: string }): string => name.slice(0, name.indexOf('/'));
  const ofVendor = groupBy(arrived, vendorOf);
  return releases.map((held) => {
    const all = (ofVendor.get(vendorOf(held)) ?? []).flatMap(({ arrivals }) => arrivals);
    const near = all.filter((atMs) => Math.abs(atMs - held.arrivedMs) <= nearMs).length;
    const because = `${held.because}; ${near} releases of ${vendorOf(held)} arrived within ten minutes of it`;
    return near < many ? held : { ...held, because };
  });
}
