import { Random } from './random.ts';

export type Cell = 'frozen' | 'hole' | 'goal';

export interface Place {
  readonly row: number;
  readonly column: number;
}

export interface LakeMap {
  /** Rows of as many cells as there are rows. */
  readonly cells: readonly (readonly Cell[])[];
  readonly start: Place;
}

/** Chance of a cell to be frozen; the others are holes. */
const frozenChance = 0.8;

/** How far the search for a way to the goal goes. */
const farthest = 8;

/** The map that belongs to a seed: drawn until there is a way from start to goal. */
export function drawMap(size: number, seed: number): LakeMap {
  const random = new Random(seed);
  for (;;) {
    const map = drawOnce(size, random);
    if (hasWay(map)) return map;
  }
}

function drawOnce(size: number, random: Random): LakeMap {
  const cells = Array.from({ length: size }, () =>
    Array.from({ length: size }, (): Cell => (random.next() < frozenChance ? 'frozen' : 'hole')),
  );
  const place = (): Place => ({ row: random.below(size), column: random.below(size) });
  const start = place();
  let goal = place();
  while (goal.row === start.row && goal.column === start.column) goal = place();
  return { start, cells: put('goal', goal, put('frozen', start, cells)) };
}

function put(cell: Cell, at: Place, cells: LakeMap['cells']): LakeMap['cells'] {
  return cells.map((row, index) => (index === at.row ? row.with(at.column, cell) : row));
}

/**
 * Searches depth first, each cell once and by the way it came to it first. A branch ends where it is too long, so that a
 * map can be refused whose goal is near by another way: that is how AgentJet's example tests its maps.
 */
export function hasWay({ cells, start }: LakeMap): boolean {
  const open: (Place & { readonly steps: number })[] = [{ ...start, steps: 0 }];
  const seen = new Set<string>();
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { row, column, steps } = here;
    const key = `${row},${column}`;
    if (steps > farthest || seen.has(key)) continue;
    seen.add(key);
    for (const [down, right] of neighbours) {
      const next = { row: row + down, column: column + right, steps: steps + 1 };
      const cell = cells[next.row]?.[next.column];
      if (cell === 'goal') return true;
      if (cell === 'frozen') open.push(next);
    }
  }
  return false;
}

/** Down, right, up, left: the last one is looked at first. */
const neighbours = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;
