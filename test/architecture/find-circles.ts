// Finds circles in a graph of imports: groups of nodes each of which reaches all others (Tarjan's strongly connected
// components).

/** Groups of two nodes or more, each sorted. */
export function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const lower = (node: string, other: number): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? Infinity, other));
  };
  const visit = (node: string): void => {
    order.set(node, order.size);
    lower(node, order.size - 1);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) {
        visit(next);
        lower(node, lowest.get(next) ?? Infinity);
      } else if (stack.includes(next)) lower(node, order.get(next) ?? Infinity);
    }
    if (lowest.get(node) !== order.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}
