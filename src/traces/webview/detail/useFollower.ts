import { useEffect, useMemo } from 'preact/hooks';
import { tokenId } from './TokenChunk.tsx';

/** Number of frames without a move after which positions are stable. */
const settledAfter = 3;

/**
 * Scrolls a token into view, in the list and on the page. A chunk of tokens may be higher than the list, and on a low
 * page the list itself may be out of view. The follower continues until the token does not move any more, because
 * loading and measuring moves tokens.
 */
class Follower {
  #token: number | null = null;
  #frame: number | undefined;
  #still = 0;

  /** @param show scrolls to the estimated position of a token that is not drawn yet */
  follow(token: number, show: (token: number) => void): void {
    this.release();
    this.#token = token;
    this.#still = 0;
    if (!document.getElementById(tokenId(token))) show(token);
    this.#step();
  }

  /** Stops, because the user scrolls. */
  release(): void {
    this.#token = null;
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  #step(): void {
    if (this.#token === null) return;
    const token = document.getElementById(tokenId(this.#token));
    if (token) this.#still = moved(token) ? 0 : this.#still + 1;
    this.#frame = this.#still < settledAfter ? requestAnimationFrame(() => this.#step()) : undefined;
  }
}

/** Scrolls a token into view. Returns true if it moved. */
function moved(token: HTMLElement): boolean {
  const before = token.getBoundingClientRect().top;
  token.scrollIntoView({ block: 'nearest' });
  return token.getBoundingClientRect().top !== before;
}

export function useFollower(): Follower {
  const follower = useMemo(() => new Follower(), []);
  useEffect(() => () => follower.release(), []);
  return follower;
}
