// A QR code as SVG, black on white in light and dark.

import type { Child } from 'hono/jsx';
import { encode } from 'uqr';
import type { Secret } from '../../../../build/shared/text/secret.ts';

/** `label`: what it is, for those who listen. */
export function QrCode({ text, label }: { readonly text: Secret; readonly label: string }): Child {
  const { size, data } = encode(text.reveal());
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
