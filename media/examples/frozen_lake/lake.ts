import { drawMap, type Cell, type LakeMap, type Place } from './map.ts';
import { Random } from './random.ts';

/** In this order a step to either side is one to the next or the one before. */
export const directions = ['left', 'down', 'right', 'up'] as const;

export type Direction = (typeof directions)[number];

/** What an agent does; `still` is what stands for a reply without a direction. */
export type Action = Direction | 'still';

export interface LakeOptions {
  /** Cells a side. */
  readonly size: number;
  readonly isSlippery: boolean;
  /** Of the map, and of where the player slips: both are the same in all repeats of a task. */
  readonly seed: number;
}

export interface Move {
  /** 1 on the goal, else 0. */
  readonly reward: number;
  /** On the goal or in a hole. */
  readonly isDone: boolean;
}

const steps: Readonly<Record<Direction, Place>> = {
  left: { row: 0, column: -1 },
  down: { row: 1, column: 0 },
  right: { row: 0, column: 1 },
  up: { row: -1, column: 0 },
};

const symbols: Readonly<Record<Cell, string>> = { frozen: '_', hole: 'O', goal: 'G' };
const symbolsUnderPlayer: Readonly<Record<Cell, string>> = { frozen: 'P', hole: 'X', goal: '√' };

/** One game: a map, and where the player is on it. */
export class FrozenLake {
  readonly #map: LakeMap;
  readonly #isSlippery: boolean;
  readonly #slips: Random;
  #player: Place;

  constructor({ size, isSlippery, seed }: LakeOptions) {
    this.#map = drawMap(size, seed);
    this.#isSlippery = isSlippery;
    this.#slips = new Random(seed);
    this.#player = this.#map.start;
  }

  move(action: Action): Move {
    if (action === 'still') return { reward: 0, isDone: false };
    const { row, column } = steps[this.#isSlippery ? this.#slip(action) : action];
    const next = { row: this.#player.row + row, column: this.#player.column + column };
    if (this.#cellAt(next) !== undefined) this.#player = next; // at the edge the player stays
    const cell = this.#cellAt(this.#player);
    return { reward: cell === 'goal' ? 1 : 0, isDone: cell !== 'frozen' };
  }

  /** One line per row, e.g. ` P \t _ \t O \t G \t`. */
  render(): string {
    const { row: playerRow, column: playerColumn } = this.#player;
    return this.#map.cells
      .map((cells, row) =>
        cells
          .map((cell, column) => {
            const isHere = row === playerRow && column === playerColumn;
            return ` ${(isHere ? symbolsUnderPlayer : symbols)[cell]} \t`;
          })
          .join(''),
      )
      .join('\n');
  }

  /** The direction meant or the one to either side of it, a third each. */
  #slip(meant: Direction): Direction {
    const turn = this.#slips.below(3) - 1;
    return directions.at((directions.indexOf(meant) + turn) % directions.length) ?? meant;
  }

  #cellAt({ row, column }: Place): Cell | undefined {
    return this.#map.cells[row]?.[column];
  }
}
