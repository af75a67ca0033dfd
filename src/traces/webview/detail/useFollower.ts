import { useEffect, useMemo } from 'preact/hooks';
import { tokenId } from './TokenChunk.tsx';

/** Frames without a move after which nothing moves a token any more. */
const settledAfter = 3;

/**
 * Brings a token into view, on the list and on the page: a chunk of tokens may be higher than the list, and on a low
 * page the list itself may be scrolled out of view. Goes on until the token lies still, for those that arrive or are
 * measured move those below them.
 */
class Follower {
  #token: number | null = null;
  #frame: number | undefined;
  #still = 0;

  /** @param show scrolls to where a token that is not drawn yet will be */
  follow(token: number, show: (token: number) => void): void {
    this.release();
    this.#token = token;
    this.#still = 0;
    if (!document.getElementById(tokenId(token))) show(token);
    this.#step();
  }

  /** From now on one scrolls by oneself. */
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

/** Whether the token had to be moved into view. */
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
