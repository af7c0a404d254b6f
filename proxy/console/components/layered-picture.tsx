// A picture of things in layers from left to right, with lines between neighbouring layers: who requires whom. Drawn on
// the server; every box is a link.

import { useContext, type Child } from 'hono/jsx';
import { hrefTo, PlaceContext } from './place.tsx';

export interface PictureNode {
  readonly name: string;
  /** its page; undefined: it has none here */
  readonly to: string | undefined;
  /** the thing that the page is about */
  readonly isCentre?: boolean;
}

export interface Picture {
  /** from left to right; a name stands in one layer only */
  readonly layers: readonly (readonly PictureNode[])[];
  /** names: from the left one to the right one */
  readonly lines: readonly (readonly [from: string, to: string])[];
}

/** `label`: what the picture shows, for those who listen. */
export function LayeredPicture({ picture, label }: { readonly picture: Picture; readonly label: string }): Child {
  const { width, height, places } = arrange(picture);
  return (
    <div class={picture.layers.length > 2 ? 'picture wide' : 'picture'} tabindex={0} role="region" aria-label={label}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {picture.lines.map(([from, to]) => (
          <Line from={places.get(from)} to={places.get(to)} />
        ))}
        {picture.layers.flat().map((node) => (
          <Box node={node} place={places.get(node.name)} />
        ))}
      </svg>
    </div>
  );
}

interface BoxPlace {
  readonly x: number;
  readonly y: number;
}

const box = { width: 168, height: 30, characters: 21 };
const gap = { across: 36, down: 8 };
const edge = 2;

function arrange({ layers }: Picture) {
  const rows = Math.max(1, ...layers.map((layer) => layer.length));
  const height = rows * (box.height + gap.down) - gap.down;
  const places = new Map<string, BoxPlace>();
  for (const [column, layer] of layers.entries()) {
    const top = (height - (layer.length * (box.height + gap.down) - gap.down)) / 2;
    for (const [row, { name }] of layer.entries())
      places.set(name, {
        x: edge + column * (box.width + gap.across),
        y: edge + top + row * (box.height + gap.down),
      });
  }
  return {
    width: layers.length * (box.width + gap.across) - gap.across + 2 * edge,
    height: height + 2 * edge,
    places,
  };
}

function Line({ from, to }: { readonly from: BoxPlace | undefined; readonly to: BoxPlace | undefined }): Child {
  if (from === undefined || to === undefined) return null;
  const [x, y] = [from.x + box.width, from.y + box.height / 2];
  const [endX, endY] = [to.x, to.y + box.height / 2];
  const bend = (endX - x) / 2;
  return <path class="line" d={`M${x} ${y}C${x + bend} ${y} ${endX - bend} ${endY} ${endX} ${endY}`} />;
}

function Box({ node, place }: { readonly node: PictureNode; readonly place: BoxPlace | undefined }): Child {
  const where = useContext(PlaceContext);
  if (place === undefined) return null;
  const { name, to, isCentre = false } = node;
  const drawn = (
    <g class={isCentre ? 'box centre' : to === undefined ? 'box elsewhere' : 'box'}>
      <title>{name}</title>
      <rect x={place.x} y={place.y} width={box.width} height={box.height} rx={6} />
      <text x={place.x + 10} y={place.y + 20}>
        {name.length > box.characters ? `${name.slice(0, box.characters - 1)}…` : name}
      </text>
    </g>
  );
  return to === undefined || isCentre ? drawn : <a href={hrefTo(where, to)}>{drawn}</a>;
}
