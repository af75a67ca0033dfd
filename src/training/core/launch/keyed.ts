/** A value with the key that the user knows it by. */
export interface KeyedValue<T> {
  readonly value: T;
  readonly key: string;
}
