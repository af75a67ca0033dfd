/** Different numbers, the smallest first. */
export class SortedNumbers {
  readonly #numbers: number[] = [];

  get all(): readonly number[] {
    return this.#numbers;
  }

  add(number: number): void {
    const at = this.#placeOf(number);
    if (this.#numbers[at] !== number) this.#numbers.splice(at, 0, number);
  }

  delete(number: number): void {
    const at = this.#placeOf(number);
    if (this.#numbers[at] === number) this.#numbers.splice(at, 1);
  }

  #placeOf(number: number): number {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
